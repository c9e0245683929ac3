/** Joins words in PascalCase: `my-sql db` becomes `MySqlDb`. Everything but ASCII letters and digits separates words. */
export function pascalCase(text: string): string {
  return text
    .split(/[^A-Za-z0-9]+/u)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("");
}
