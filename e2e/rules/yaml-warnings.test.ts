import { afterEach, beforeEach, expect, test } from "vitest";
import { parseGoYAML } from "../../src/cluster/codec/go-yaml.ts";
import { parseProject } from "../../src/project/store.ts";
import { parseKubeconfig } from "../../src/runtime/config/kubeconfig-file.ts";
import { parseManifest } from "../../src/ship/manifest.ts";

let warnings: string[];
const note = (warning: Error): void => void warnings.push(warning.message);
beforeEach(() => {
  warnings = [];
  process.on("warning", note);
});
afterEach(() => void process.off("warning", note));

// The parser of `yaml` warns on standard error by itself, with the text that it reads: a token, or a terminal's escapes.
test.each([
  ["kubeconfig", parseKubeconfig],
  ["PROJECT", parseProject],
  ["a request's body", parseGoYAML],
  ["manifests", parseManifest],
])("the reader of %s warns of nothing by itself", async (_, read) => {
  for (const text of ["{ token: { a: \u001b]0;evil }, ? [secret] : 1 }", "*a:b : secret"]) {
    try {
      await read(text);
    } catch {
      // A reader may reject the text.
    }
  }
  await new Promise(setImmediate);
  expect(warnings).toEqual([]);
});
