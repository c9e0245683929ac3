import { readFileSync } from "node:fs";
import type { LoadHook } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { transform } from "esbuild";
import type { Unmended } from "./unmended.ts";

const repository = fileURLToPath(new URL("../../../..", import.meta.url));
const edits = JSON.parse(process.env["TSBUILDER_UNMENDED"] ?? "[]") as Unmended["edits"];

/** Loads the edited files without their mends; no file of the checkout is changed. Scripts are texts, as in a bundle. */
export const load: LoadHook = async (url, context, nextLoad) => {
  if (url.endsWith(".sh")) {
    const source = `export default ${JSON.stringify(readFileSync(new URL(url), "utf8"))}`;
    return { format: "module", source, shortCircuit: true };
  }
  const own = edits.filter(({ file }) => pathToFileURL(join(repository, file)).href === url);
  if (own.length === 0) return nextLoad(url, context);
  let text = readFileSync(new URL(url), "utf8");
  for (const { file, mended, before } of own) {
    if (text.split(mended).length !== 2) throw new Error(`${file} does not have this once: ${mended}`);
    text = text.replace(mended, () => before);
  }
  const { code } = await transform(text, { loader: "ts", format: "esm", target: "es2022" });
  return { format: "module", source: code, shortCircuit: true };
};
