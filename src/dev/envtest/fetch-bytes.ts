import { TsbuilderError } from "../../shared/errors.ts";

/** Downloads a file, with a helpful error if the server cannot be reached. */
export async function fetchBytes(url: string): Promise<Uint8Array> {
  try {
    const response = await fetch(url);
    if (response.ok) return new Uint8Array(await response.arrayBuffer());
    throw new Error(`the server responded with ${response.status}`);
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    throw new TsbuilderError(`could not download ${url}: ${reason}`, {
      code: "TOOL_FAILED",
      hint: "use a mirror with --index URL or TSBUILDER_ENVTEST_INDEX, or an installed version with --offline",
      cause: error,
    });
  }
}
