/** A source file: its path in the repository, and its text. */
export interface NamedSource {
  readonly file: string;
  readonly text: string;
}

/** A name that all packages share: the folder that declares it, and a pattern of other declarations. */
export interface SharedWord {
  readonly home: string;
  readonly alike?: RegExp;
}

/** A sentence for each error class whose name doesn't end in Error. */
export function explainErrorNames(sources: readonly NamedSource[]): string[] {
  return declared(sources, /^(?:export )?class (\w+) extends \w*Error\b/gm)
    .filter(({ name }) => !name.endsWith("Error"))
    .map(({ file, name }) => `${file} declares ${name}, an error: call it ${name}Error`);
}

/** A sentence for each constant in capitals. */
export function explainConstantNames(sources: readonly NamedSource[]): string[] {
  return declared(sources, /^ *(?:export )?const (?:\[[^\]=]*?\b)?([A-Z][A-Z0-9_]+)\b/gm).map(
    ({ file, name }) =>
      `${file} declares ${name}: constants are named like all other values, so call it ${camelCase(name)}, ` +
      "or what it holds where that name is taken",
  );
}

/** A sentence for each declaration of a shared word outside of its folder. */
export function explainDuplicates(
  sources: readonly NamedSource[],
  words: Readonly<Record<string, SharedWord>>,
): string[] {
  return Object.entries(words).flatMap(([word, { home, alike }]) => {
    const elsewhere = sources.filter(({ file }) => !file.startsWith(`${home}/`));
    const named = declared(
      elsewhere,
      new RegExp(`^ *(?:export )?(?:function|const|type|interface) (${word})\\b(?! *[,}])`, "gm"),
    );
    const same = alike ? elsewhere.filter(({ text }) => alike.test(text)) : [];
    const files = new Set([...named, ...same].map(({ file }) => file));
    const specifier = home.replace("src/", "@tsbuilder/");
    return [...files].map((file) => `${file} declares its own ${word}: import the one of ${specifier}`);
  });
}

/** A sentence for each interface with the name of a generated type of the Kubernetes API. */
export function explainKindTypes(sources: readonly NamedSource[], generated: ReadonlySet<string>): string[] {
  return declared(sources, /^ *(?:export )?interface (\w+)/gm)
    .filter(({ name }) => generated.has(name))
    .map(
      ({ file, name }) =>
        `${file} declares its own ${name}: import the type of @tsbuilder/apimachinery/k8s, ` +
        "or give another form another name and say why it differs",
    );
}

function declared(sources: readonly NamedSource[], pattern: RegExp): { file: string; name: string }[] {
  return sources.flatMap(({ file, text }) =>
    [...text.matchAll(pattern)].map((match) => ({ file, name: match[1]! })),
  );
}

function camelCase(name: string): string {
  return name.toLowerCase().replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
