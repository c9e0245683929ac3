export { ageOf, formatAge, formatSpan } from "./age.ts";
export { compareCharacters, compareText, fnv64, pascalCase, visibleText } from "./text.ts";
export * from "./go-text.ts";
