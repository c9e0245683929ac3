import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import ts from "typescript";
import { expect, it } from "vitest";
import * as parser from "../generated/parser.js";
import { parsing } from "../parse-module.ts";
import { cutParser } from "./cut-parser.ts";

const generators = join(import.meta.dirname, "../..");
const sources = readdirSync(generators, { recursive: true, encoding: "utf8" })
  .filter((path) => /\.(?:ts|md)$/u.test(path) && !path.includes("generated"))
  .map((path) => readFileSync(join(generators, path), "utf8"));

it("reads what the compiler reads: sources of generators, and their documents as nonsense", () => {
  expect(sources.length).toBeGreaterThan(100);
  for (const text of sources) expect(outline(parser, text, parsing)).toBe(outline(ts, text));
});

it("finds the syntax errors that the compiler finds, whatever is cut out of a source", () => {
  const position = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(fc.constantFrom(...sources), position, position, (text, from, length) => {
      const start = Math.floor(from * text.length);
      const broken = text.slice(0, start) + text.slice(start + Math.ceil(length * 200));
      expect(outline(parser, broken, parsing)).toBe(outline(ts, broken));
    }),
  );
});

it("says what to do when the compiler is bundled in another way", () => {
  expect(() => cutParser('"use strict";\nvar ts = {};\n', [])).toThrow(/no longer a sequence of modules/);
});

/** The parts of a file that the loader may read: kinds, positions and texts of its nodes, and its syntax errors. */
function outline(
  api: Pick<typeof ts, "createSourceFile" | "forEachChild">,
  text: string,
  options: ts.CreateSourceFileOptions = { languageVersion: ts.ScriptTarget.Latest },
): string {
  const source = api.createSourceFile("file.ts", text, options);
  const lines: string[] = [];
  const visit = (node: ts.Node): void => {
    const name = ts.isIdentifier(node) || ts.isStringLiteralLike(node) ? node.text : "";
    lines.push(`${node.kind} ${node.getStart(source)}-${node.end} ${name} ${node.getText(source).length}`);
    api.forEachChild(node, visit);
  };
  visit(source);
  const { parseDiagnostics } = source as unknown as { parseDiagnostics: readonly ts.Diagnostic[] };
  const errors = parseDiagnostics.map(({ start, messageText }) => `${start} ${JSON.stringify(messageText)}`);
  return [...lines, ...errors].join("\n");
}
