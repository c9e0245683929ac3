import { TsbuilderError } from "../../shared/errors.ts";

/** Downloads a file; an address that can't be reached is explained. */
export async function fetchBytes(url: string): Promise<Uint8Array> {
  try {
    const response = await fetch(url);
    if (response.ok) return new Uint8Array(await response.arrayBuffer());
    throw new Error(`it answered ${response.status}`);
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    throw new TsbuilderError(`could not download ${url}: ${reason}`, {
      code: "TOOL_FAILED",
      hint: "use a mirror with --index URL or TSBUILDER_ENVTEST_INDEX, or what is installed with --offline",
      cause: error,
    });
  }
}
