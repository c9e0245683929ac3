import { stringLiteral } from "../../shared/source-text.ts";
import { declaredTypes } from "./built-in-types.ts";

/** The names that a module takes from others, and its import statements. */
export class ModuleNames {
  readonly #runtime = new Set<string>();
  /** The names that the module declares. */
  readonly #own: ReadonlySet<string>;
  readonly #named = new Map<string, Set<string>>();
  readonly #aliases = new Map<string, string>();
  readonly #declared = new Set<string>();

  constructor(own: Iterable<string>) {
    this.#own = new Set(own);
  }

  /** A type of `@tsbuilder/runtime`, behind an alias if the package has one of the same name. */
  runtime(name: string): string {
    this.#runtime.add(name);
    return this.#runtimeAlias(name);
  }

  #runtimeAlias(name: string): string {
    return this.#own.has(name) ? `Runtime${name}` : name;
  }

  /** A type or a value of another module of the same package, by its own name. */
  named(specifier: string, name: string, { isType = true } = {}): string {
    const names = this.#named.get(specifier) ?? new Set();
    this.#named.set(specifier, names.add(isType ? `type ${name}` : name));
    return name;
  }

  /** A type of another package's module, behind the module's alias. */
  of(specifier: string, name: string): string {
    let alias = this.#aliases.get(specifier);
    if (alias === undefined) {
      const words = specifier.replace(/\/[^/]*\.ts$/u, "").split(/[^A-Za-z0-9]+/u);
      const wanted = words.slice(-2).join("").replace(/^\d/u, "_$&");
      const taken = new Set([...this.#aliases.values(), ...this.#own]);
      alias = wanted;
      for (let i = 2; taken.has(alias); i++) alias = `${wanted}${i}`;
      this.#aliases.set(specifier, alias);
    }
    return `${alias}.${name}`;
  }

  /** A type that TypeScript lacks. */
  declared(name: string): string {
    this.#declared.add(name);
    return name;
  }

  get imports(): string {
    const own = [...this.#runtime].sort().map((name) => {
      const alias = this.#runtimeAlias(name);
      return `${name === "defineKind" ? "" : "type "}${name}${alias === name ? "" : ` as ${alias}`}`;
    });
    const runtime = own.length > 0 ? importNames(own, stringLiteral("@tsbuilder/runtime")) : "";
    const named = [...this.#named].map(([specifier, names]) =>
      importNames([...names], stringLiteral(specifier)),
    );
    const others = [...this.#aliases].map(
      ([specifier, alias]) => `import type * as ${alias} from ${stringLiteral(specifier)};\n`,
    );
    return [runtime, ...named, ...others].join("");
  }

  get declarations(): string[] {
    return [...this.#declared].map((name) => declaredTypes[name]!);
  }
}

function importNames(names: readonly string[], from: string): string {
  const sorted = [...names].sort((a, b) => (a.replace("type ", "") < b.replace("type ", "") ? -1 : 1));
  if (!sorted.every((name) => name.startsWith("type ")))
    return `import { ${sorted.join(", ")} } from ${from};\n`;
  return `import type { ${sorted.map((name) => name.slice(5)).join(", ")} } from ${from};\n`;
}
