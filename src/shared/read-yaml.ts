import { type Document, parseAllDocuments } from "yaml";
import { type ErrorCode, TsbuilderError } from "./errors.ts";

/** How a file that can't be read is spoken of. */
interface Complaint {
  readonly code: ErrorCode;
  readonly hint: string;
}

/** The values of all documents of a YAML file. What is not YAML, or grows without end, is an error with its line. */
export function readYaml(
  file: string,
  text: string,
  complaint: Complaint = { code: "INVALID_SOURCE", hint: "fix the file" },
): unknown[] {
  try {
    return parseAllDocuments(text).map((document) => toValue(file, document, complaint));
  } catch (error) {
    // Aliases of aliases, or thousands of brackets: small files that no memory and no stack is large enough for.
    if (!(error instanceof ReferenceError || error instanceof RangeError)) throw error;
    throw new TsbuilderError(`"${file}" can't be read: its aliases or its brackets never end`, {
      ...complaint,
      cause: error,
    });
  }
}

function toValue(file: string, document: Document.Parsed | Document, complaint: Complaint): unknown {
  const [error] = document.errors;
  if (!error) return document.toJS();
  const [start] = error.linePos ?? [];
  throw new TsbuilderError(`"${file}" is not valid YAML: ${error.message.split("\n")[0]}`, {
    ...complaint,
    at: start && { file, line: start.line, column: start.col },
  });
}
