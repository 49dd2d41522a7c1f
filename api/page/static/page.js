// The page is whole without scripts; these make it lively.
import * as ask from "./ask.js";
import * as source from "./source.js";
import * as vault from "./vault.js";

if (document.querySelector(".desk .reply")) {
  source.begin();
  ask.begin();
}
vault.begin();
