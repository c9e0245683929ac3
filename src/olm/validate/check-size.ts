import { bundleFolders } from "../bundle-format.ts";
import type { Bundle } from "./bundle.ts";
import { finding, type Findings } from "./finding.ts";

/** OLM stores the compressed manifests in one ConfigMap. */
const largest = 1024 * 1024;
const near = largest * 0.85;

export function* checkSize({ csv, compressedSize }: Bundle): Findings {
  if (compressedSize <= near) return;
  const isTooLarge = compressedSize > largest;
  const message = `the compressed files in ${bundleFolders.manifests} have ${compressedSize} bytes, and OLM takes ${largest}`;
  const hint = "shorten descriptions of CRDs: tsbuilder manifests --trim-descriptions";
  yield finding(isTooLarge ? "bundle-size" : "bundle-size-near", csv, message, hint);
}
