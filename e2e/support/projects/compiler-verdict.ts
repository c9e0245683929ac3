import ts from "typescript";

/** As much of TypeScript's library as types without code need: loading the whole of it takes a second. */
const library = `interface Array<T> { length: number; [n: number]: T }
interface ReadonlyArray<T> { readonly length: number; readonly [n: number]: T }
interface Boolean {} interface CallableFunction {} interface Function {} interface IArguments {}
interface NewableFunction {} interface Number {} interface Object {} interface RegExp {} interface String {}
type Partial<T> = { [P in keyof T]?: T[P] };
type Required<T> = { [P in keyof T]-?: T[P] };
type Readonly<T> = { readonly [P in keyof T]: T[P] };
type Pick<T, K extends keyof T> = { [P in K]: T[P] };
type Record<K extends keyof any, T> = { [P in K]: T };
type Exclude<T, U> = T extends U ? never : T;
type Extract<T, U> = T extends U ? T : never;
type Omit<T, K extends keyof any> = Pick<T, Exclude<keyof T, K>>;
type int32 = number;
`;

const files = { library: "/library.d.ts", spec: "/spec.ts" };
const parsedLibrary = ts.createSourceFile(files.library, library, ts.ScriptTarget.ES2022);

/** Returns for each value whether the compiler accepts it for the type `Spec` of some code; throws if the code itself is wrong. */
export function compilerAccepts(code: string, values: readonly object[]): boolean[] {
  const firstLine = code.split("\n").length - 1;
  const lines = values.map((value, i) => `const v${i}: Spec = ${JSON.stringify(value)};\n`);
  const spec = ts.createSourceFile(files.spec, code + lines.join(""), ts.ScriptTarget.ES2022);
  const sources = new Map([
    [files.library, parsedLibrary],
    [files.spec, spec],
  ]);
  const host: ts.CompilerHost = {
    fileExists: (name) => sources.has(name),
    readFile: (name) => sources.get(name)?.text,
    getSourceFile: (name) => sources.get(name),
    getDefaultLibFileName: () => files.library,
    getCurrentDirectory: () => "/",
    getCanonicalFileName: (name) => name,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => "\n",
    writeFile: () => undefined,
  };
  const options: ts.CompilerOptions = { strict: true, noLib: true, noEmit: true, types: [] };
  const program = ts.createProgram([files.library, files.spec], options, host);
  const wrong = new Set<number>();
  for (const { file, start = 0, messageText } of [
    ...program.getGlobalDiagnostics(),
    ...program.getSyntacticDiagnostics(),
    ...program.getSemanticDiagnostics(),
  ]) {
    const line = file === spec ? spec.getLineAndCharacterOfPosition(start).line - firstLine : -1;
    if (line < 0) throw new Error(`${ts.flattenDiagnosticMessageText(messageText, "\n")} in:\n${code}`);
    wrong.add(line);
  }
  return values.map((_, i) => !wrong.has(i));
}
