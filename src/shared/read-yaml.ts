import { type Document, isScalar, LineCounter, type Node, parseAllDocuments, visit } from "yaml";
import type { ErrorCode } from "./error-codes.ts";
import { TsbuilderError } from "./errors.ts";

/** The code and the hint of errors about a file. */
interface ErrorDetails {
  readonly code: ErrorCode;
  readonly hint: string;
}

/** Reads the documents in a YAML file. Throws, with the line, if the text is not YAML or expands without end. */
export function readYaml(
  file: string,
  text: string,
  details: ErrorDetails = { code: "INVALID_SOURCE", hint: "fix the file" },
): unknown[] {
  // Windows' shells write UTF-16, in which every other byte of this text is 0.
  if (text.includes("\0")) {
    const hint = "save the file as UTF-8";
    throw new TsbuilderError(`"${file}" is not UTF-8 text`, { ...details, hint });
  }
  const lineCounter = new LineCounter();
  try {
    // The parser's own search for repeated keys takes a minute for ten thousand of them, and its warnings quote the text. Keys
    // that are mappings are no JSON, and take twice the memory at each level of keys in keys.
    const options = { lineCounter, uniqueKeys: false, logLevel: "error", stringKeys: true } as const;
    return parseAllDocuments(text, options).map((document) => {
      const repeated = document.errors.length === 0 ? findRepeatedKey(document) : undefined;
      if (!repeated) return toValue(file, document, details);
      const { line, col: column } = lineCounter.linePos(repeated.range?.[0] ?? 0);
      const message = `"${file}" is not valid YAML: Map keys must be unique at line ${line}, column ${column}`;
      throw new TsbuilderError(message, { ...details, at: { file, line, column } });
    });
  } catch (error) {
    const unresolved = /^Unresolved alias .*: (.*)$/su.exec((error as Error).message)?.[1];
    if (error instanceof ReferenceError && unresolved !== undefined) {
      const message = `"${file}" is not valid YAML: no anchor &${unresolved} stands before *${unresolved}`;
      throw new TsbuilderError(message, { ...details, cause: error });
    }
    // A small file with aliases of aliases, or with thousands of brackets, exceeds any memory or stack.
    if (!(error instanceof ReferenceError || error instanceof RangeError)) throw error;
    const message = `"${file}" can't be read: its aliases or brackets are nested too deeply`;
    throw new TsbuilderError(message, { ...details, cause: error });
  }
}

function toValue(file: string, document: Document.Parsed | Document, details: ErrorDetails): unknown {
  const [error] = document.errors;
  if (!error) return withoutCycles(document.toJS());
  // The parser also reports the end of its stack, as if the file were wrong there.
  if (error.code === "RESOURCE_EXHAUSTION") throw new RangeError(error.message);
  const [start] = error.linePos ?? [];
  const [message = ""] = error.message.split("\n");
  const why =
    error.code === "NON_STRING_KEY" ? message.replace(/^.*strings/u, "a key must be text") : message;
  throw new TsbuilderError(`"${file}" is not valid YAML: ${why}`, {
    ...details,
    at: start && { file, line: start.line, column: start.col },
  });
}

/** Throws for a value that contains itself through an alias: it has no JSON, and walks through it never end. */
function withoutCycles(value: unknown, ancestors: Set<unknown> = new Set()): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (ancestors.has(value)) throw new ReferenceError("an alias refers to what it is part of");
  ancestors.add(value);
  for (const item of Object.values(value)) withoutCycles(item, ancestors);
  ancestors.delete(value);
  return value;
}

/** Finds the first key that its map has twice, in linear time. */
function findRepeatedKey(document: Document.Parsed | Document): Node | undefined {
  let repeated: Node | undefined;
  visit(document, {
    Map: (_, { items }) => {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value)) repeated ??= key;
        seen.add(key.value);
      }
      return repeated && visit.BREAK;
    },
  });
  return repeated;
}
