import ts from "typescript";
import { expect, test } from "vitest";
import { declarationText } from "./api-pages.ts";

/** The texts of the statements of a module. */
function textsOf(source: string): string[] {
  const file = ts.createSourceFile("a.ts", source, ts.ScriptTarget.ES2023, true);
  const host: ts.CompilerHost = {
    ...ts.createCompilerHost({}),
    getSourceFile: (name) => (name === "a.ts" ? file : undefined),
  };
  const checker = ts.createProgram(["a.ts"], { noLib: true }, host).getTypeChecker();
  return file.statements.map((statement) => {
    const declaration = ts.isVariableStatement(statement)
      ? statement.declarationList.declarations[0]!
      : (statement as unknown as ts.Declaration);
    return declarationText(declaration, checker);
  });
}

test("functions and constants lose their bodies and values, and get the types that are inferred", () => {
  expect(
    textsOf(`
      export function add(a: number, b = 1) { return a + b; }
      export async function later(): Promise<void> {}
      export const limit = 3;
      export const name: string = "x";
    `),
  ).toEqual([
    "function add(a: number, b = 1): number;",
    "function later(): Promise<void>;",
    "const limit: 3;",
    "const name: string;",
  ]);
});

test("types and interfaces stand as they are written, but for types of constants", () => {
  expect(textsOf(`const verbs = { get: 1, list: 2 };\nexport type Verb = keyof typeof verbs;`).at(-1)).toBe(
    'type Verb = "get" | "list";',
  );
  expect(textsOf(`export interface A {\n  /** The b. */\n  b: string;\n}\nexport type C = A | "c";`)).toEqual(
    [`interface A {\n  /** The b. */\n  b: string;\n}`, `type C = A | "c";`],
  );
});

test("a class shows its public members with their comments, and overloads instead of what implements them", () => {
  const source = `export class A {
  readonly #secret = 1;
  private hidden = 2;
  /** Counts. */
  count = 0;
  constructor(
    start: number,
  ) { this.count = start; }
  /**
   * Gets.
   */
  get(name: string): string;
  get(name: number): number;
  get(name: string | number): string | number { return name; }
  protected inner(): void {}
  static async make(): Promise<void> {}
}`;
  expect(textsOf(source)).toEqual([
    `class A {
  /** Counts. */
  count: number;
  constructor(
    start: number,
  );

  /**
   * Gets.
   */
  get(name: string): string;
  get(name: number): number;
  static make(): Promise<void>;
}`,
  ]);
});
