/** The text with Windows' line ends if another text has no others: Git gives a checkout such, if it is told to. */
export function withLineEndsOf(model: string, text: string): string {
  return model.includes("\r\n") && !/(?:^|[^\r])\n/u.test(model) ? text.replaceAll(/\r?\n/gu, "\r\n") : text;
}

/** The text with the line ends that are told apart from no others. */
export function withPlainLineEnds(text: string): string {
  return text.includes("\r\n") ? text.replaceAll("\r\n", "\n") : text;
}
