import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { transformSync } from "esbuild";

/**
 * Turns the modules of a bundle into scripts: their compiled code can be kept, which Node 20 does for no module. A script
 * is a function of `exports`, `module`, `require` and `__url`: see `Scripts` in src/cli/start.
 */
export function toScripts(folder: string): void {
  const modules = readdirSync(folder).filter((name) => name.endsWith(".js"));
  for (const name of modules) {
    const path = join(folder, name);
    writeFileSync(path.replace(/\.js$/u, ".cjs"), toScript(readFileSync(path, "utf8"), modules));
    rmSync(path);
  }
}

/** Turns a module into a script, which requires the modules that it imports, at once or on demand. */
function toScript(module: string, modules: readonly string[]): string {
  // Imports of Node's modules that take milliseconds to load and that most commands don't need: they are loaded at first use.
  const rarelyNeeded =
    /^( *var \w+ = )(?:\(0, \w+\.__require\)|__require|require)\("(?:node:)?(child_process|crypto)"\);$/gmu;
  // The module by which esbuild imports a CommonJS module on demand. As in Node, its exports are that module's.
  const wrappedScript = /^export default (require_\w+\(\));$/mu;
  const { code } = transformSync(module.replace(wrappedScript, "module.exports = $1;"), {
    format: "cjs",
    platform: "node",
    target: "node20",
    supported: { "dynamic-import": false },
    define: { "import.meta.url": "__url", "import.meta.resolve": "require.resolve" },
    logLevel: "error",
  });
  const linked = code.replaceAll(/\brequire\("\.\/([\w-]+\.js)"\)/gu, (written, name: string) =>
    modules.includes(name) ? `require("./${name.replace(/js$/u, "cjs")}")` : written,
  );
  const body = linked
    .replaceAll(rarelyNeeded, '$1require.later("node:$2");')
    // Exports the original object: a copy would cost a call at each use by another script.
    .replace("__toCommonJS(stdin_exports)", '__defProp(stdin_exports, "__esModule", { value: true })');
  return `(function (exports, module, require, __url) {${body}\n})`;
}
