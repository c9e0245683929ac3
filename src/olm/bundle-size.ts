import { gzipSync } from "node:zlib";

/** OLM stores the compressed manifests of a bundle in one ConfigMap. */
export const largestBundle = 1024 * 1024;
export const nearlyTooLarge = largestBundle * 0.85;
export const shortenBundle =
  "shorten the CRDs: tsbuilder manifests --max-desc-len 0 omits their descriptions";

/** The size of a bundle, by the texts of its manifests. */
export function compressedSize(texts: readonly string[]): number {
  return texts.length === 0 ? 0 : gzipSync(texts.join("\n---\n")).length;
}
