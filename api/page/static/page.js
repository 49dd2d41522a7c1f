// The page without scripts is whole; these make it lively. One module for each thing it does.
import * as ask from "./ask.js";
import * as source from "./source.js";
import * as vault from "./vault.js";

if (document.querySelector(".desk .reply")) {
  source.begin();
  ask.begin();
}
vault.begin();
