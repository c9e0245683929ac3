export { compareCharacters, compareText, fnv64, pascalCase, visibleText } from "./text.ts";
export { diffLines, type Hunk } from "./diff-lines.ts";
export {
  controlEscapes,
  goFloat,
  goJSON,
  goNumber,
  goPlainFloat,
  goStruct,
  goSyntax,
  goText,
  goValue,
  quote,
  shortEscape,
} from "./go-text.ts";
