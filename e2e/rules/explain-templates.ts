import Handlebars from "handlebars";

/** A template's path below `templates`, and its text. */
interface Template {
  readonly path: string;
  readonly text: string;
}

/** A sentence for each folder of templates that no part uses. */
export function explainUnusedTemplates(paths: readonly string[], folders: readonly string[]): string[] {
  const unused = paths.filter((path) => !folders.some((folder) => path.startsWith(`${folder}/`)));
  return unused.map(
    (path) =>
      `templates/${path} belongs to no part: name its folder as \`templates\` of a part in src/plugins or src/chart or src/olm, ` +
      "or delete it",
  );
}

/** The problem of a single template, if any: it may hold words between double braces, but no logic. */
export function explainForm({ path, text }: Template): string[] {
  const place = `templates/${path}`;
  if (!path.endsWith(".hbs"))
    return [`${place} is no template by its name: call it ${path.split("/").at(-1)}.hbs`];
  try {
    wordsOf(text);
    return [];
  } catch (error) {
    const reason = (error as Error).message;
    return [
      `${place} holds more than words (${reason}): make the choice in src/plugins, and give the template a word ` +
        "or leave the part out",
    ];
  }
}

/** A sentence for each word that a part's templates use but don't get, or get but don't use. */
export function explainWords(
  part: { readonly templates: string; readonly context: object },
  templates: readonly Template[],
  mayIgnore: readonly string[],
): string[] {
  const given = Object.keys(part.context);
  const used = templates.map(({ path, text }) => ({ path, words: [...wordsOf(path), ...wordsOf(text)] }));
  const anywhere = new Set(used.flatMap(({ words }) => words));
  const found = `the part with templates: "${part.templates}" (git grep -n '"${part.templates}"' src)`;
  const missing = used.flatMap(({ path, words }) =>
    [...new Set(words)]
      .filter((word) => !given.includes(word))
      .map(
        (word) =>
          `templates/${path} uses {{${word}}}, which it doesn't get: put ${word} into the context of ${found}, ` +
          `which gives ${given.join(", ") || "nothing"}`,
      ),
  );
  const idle = given
    .filter((word) => !anywhere.has(word) && !mayIgnore.includes(word))
    .map(
      (word) =>
        `no template below templates/${part.templates} uses ${word}: take it out of the context of ${found}`,
    );
  return [...missing, ...idle];
}

/** The words between braces; anything else between braces is logic. */
function wordsOf(template: string): string[] {
  return Handlebars.parse(template).body.flatMap((node) => {
    if (node.type === "ContentStatement") return [];
    const { path, params } = node as hbs.AST.MustacheStatement;
    if (node.type !== "MustacheStatement" || path.type !== "PathExpression" || params.length > 0) {
      throw new Error(`${node.type} at line ${node.loc.start.line}`);
    }
    return [(path as hbs.AST.PathExpression).original];
  });
}
