/** The license header of a source file with an empty line after it; empty without a license. */
export function fileHeader(boilerplate: string): string {
  return boilerplate === "" ? "" : `${boilerplate}\n\n`;
}
