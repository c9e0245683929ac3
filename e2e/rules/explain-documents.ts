const roots = String.raw`src|e2e|bin|templates|\.ci|\.config|\.github`;

/** The paths of this repository that a document names, by themselves or in commands; patterns are none. */
export function listPaths(text: string): string[] {
  const alone = text.matchAll(new RegExp(`\`((?:${roots})(?:/[\\w.*{},<>-]+)*)\``, "g"));
  const inCommands = [...text.matchAll(/\b(?:npm|npx|node) [^`\n]*/g)].flatMap(([command]) => [
    ...command.matchAll(new RegExp(` ((?:${roots})/[\\w./*{},<>-]+)`, "g")),
  ]);
  return [...alone, ...inCommands].map((match) => match[1]!).filter((path) => !/[*{<]/.test(path));
}

/** A sentence for each path in a document that leads nowhere. */
export function explainPaths(document: string, text: string, exists: (path: string) => boolean): string[] {
  return listPaths(text)
    .filter((path) => !exists(path))
    .map(
      (path) =>
        `${at(document, text, path)} names ${path}, which is not there: ` +
        `write where it is now (git log --follow -- ${path}), or take it out`,
    );
}

/** A sentence for each npm script in a document that package.json does not have. */
export function explainScripts(document: string, text: string, scripts: readonly string[]): string[] {
  const named = [...text.matchAll(/npm run (?:--silent )?([\w:-]*\w)/g)].map((match) => match[1]!);
  return [...new Set(named)]
    .filter((name) => !scripts.includes(name))
    .map(
      (name) =>
        `${at(document, text, name)} says npm run ${name}, which "scripts" in package.json does not have: ` +
        `it has ${scripts.join(", ")}`,
    );
}

/** A sentence for each tool of `npm run lab` in a document that is not there. */
export function explainTools(document: string, text: string, tools: readonly string[]): string[] {
  const named = [...text.matchAll(/npm run lab -- ([\w-]+)/g)].map((match) => match[1]!);
  return [...new Set(named)]
    .filter((name) => !tools.includes(name))
    .map(
      (name) =>
        `${at(document, text, `lab -- ${name}`)} says npm run lab -- ${name}: npm run lab lists what there is`,
    );
}

function at(document: string, text: string, part: string): string {
  return `${document}:${text.slice(0, text.indexOf(part)).split("\n").length}`;
}
