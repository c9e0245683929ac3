/** Joins the words of a name: `my-sql db` becomes `MySqlDb`. Whatever is no ASCII letter or digit ends a word. */
export function pascalCase(text: string): string {
  return text
    .split(/[^A-Za-z0-9]+/u)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("");
}
