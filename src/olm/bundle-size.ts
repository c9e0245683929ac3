import { gzipSync } from "node:zlib";

/** OLM stores the manifests of a bundle in one ConfigMap, each compressed, and in base64. */
export const largestBundle = 1024 * 1024;
export const nearlyTooLarge = largestBundle * 0.85;
export const shortenBundle =
  "shorten the CRDs: tsbuilder manifests --max-desc-len 0 omits their descriptions";

/** The size of a bundle, by the texts of its manifests. */
export function compressedSize(texts: readonly string[]): number {
  return texts.map((text) => gzipSync(text).toString("base64").length).reduce((sum, size) => sum + size, 0);
}
