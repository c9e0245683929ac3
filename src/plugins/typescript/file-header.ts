/** The licence at the top of a source file, with the empty line that sets it apart; nothing without a licence. */
export function fileHeader(boilerplate: string): string {
  return boilerplate === "" ? "" : `${boilerplate}\n\n`;
}
