import { bundleFolders } from "../bundle-format.ts";
import type { Bundle } from "./bundle.ts";
import { largestBundle as largest, nearlyTooLarge, shortenBundle } from "../bundle-size.ts";
import { finding, type Findings } from "./finding.ts";

export function* checkSize({ csv, compressedSize }: Bundle): Findings {
  if (compressedSize <= nearlyTooLarge) return;
  const isTooLarge = compressedSize > largest;
  const message = `the files in ${bundleFolders.manifests} come to ${compressedSize} bytes, compressed and in base64, and OLM takes ${largest} at most`;
  yield finding(isTooLarge ? "bundle-size" : "bundle-size-near", csv, message, shortenBundle);
}
