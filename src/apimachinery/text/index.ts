export { compareCharacters, compareText } from "./compare.ts";
export { diffLines, type Hunk } from "./diff-lines.ts";
export { fnv64 } from "./fnv64.ts";
export { controlEscapes, shortEscape } from "./go-escapes.ts";
export { goSyntax, goText } from "./go-syntax.ts";
export { goFloat, goJSON, goNumber, goPlainFloat, goStruct, goValue, quote } from "./go-text.ts";
export { pascalCase } from "./pascal-case.ts";
export { visibleText } from "./visible-text.ts";
