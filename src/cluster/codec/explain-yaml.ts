import { YAMLParseError } from "yaml";
import { ContentError, UnsupportedNumberError } from "./go-yaml.ts";

/** The message of a YAML error in Go's words, where they are known, and with the line if it is not the only one. */
export function explainYAML(error: unknown, text: string): string {
  const [message = ""] = (error as Error).message.split("\n");
  if (error instanceof UnsupportedNumberError || error instanceof ContentError) return message;
  // The parser calls itself; Go's stops at a depth of its own.
  if (message.startsWith("Maximum call stack")) return "yaml: exceeded max depth";
  const problem = problemOf(error, text) ?? message;
  const lines = text.trimEnd().split("\n").length;
  // The end of a text, which is a token, stands in the next line.
  if (problem.startsWith("did not find")) return `yaml: line ${lines}: ${problem}`;
  if (lines === 1) return `yaml: ${problem}`;
  const line = error instanceof YAMLParseError ? text.slice(0, error.pos[0]).split("\n").length : 1;
  return `yaml: line ${line}: ${problem}`;
}

function problemOf(error: unknown, text: string): string | undefined {
  if (!(error instanceof YAMLParseError)) return undefined;
  const { code, message } = error;
  if (code === "TAB_AS_INDENT") return "found character that cannot start any token";
  if (code === "BLOCK_AS_IMPLICIT_KEY") return "mapping values are not allowed in this context";
  if (message.startsWith("Missing closing")) return "found unexpected end of stream";
  const end = /must (?:be sufficiently indented and )?end with a (.)/u.exec(message)?.[1];
  if (end === undefined) return undefined;
  return /[[{,:]\s*$/u.test(text)
    ? "did not find expected node content"
    : `did not find expected ',' or '${end}'`;
}
