import { stringLiteral } from "../../../src/shared/source-text.ts";
import { helpers } from "./built-in-types.ts";

/** The names that a module takes from others, and its import statements. */
export class ModuleNames {
  readonly #runtime = new Set<string>();
  /** The names that the module declares. */
  readonly #own: ReadonlySet<string>;
  readonly #aliases = new Map<string, string>();
  readonly #helpers = new Set<string>();

  constructor(own: Iterable<string>) {
    this.#own = new Set(own);
  }

  /** A type of `@tsbuilder/runtime`, behind an alias if the module has one of the same name. */
  runtime(name: string): string {
    this.#runtime.add(name);
    return this.#runtimeAlias(name);
  }

  #runtimeAlias(name: string): string {
    return this.#own.has(name) ? `Runtime${name}` : name;
  }

  /** A type or a function of another module, behind the module's alias. */
  of(specifier: string, name: string): string {
    let alias = this.#aliases.get(specifier);
    if (alias === undefined) {
      const words = specifier.replace(/\/types\.ts$/u, "").split(/[^A-Za-z0-9]+/u);
      const wanted = words.slice(-2).join("").replace(/^\d/u, "_$&");
      const taken = new Set(this.#aliases.values());
      alias = wanted;
      for (let i = 2; taken.has(alias); i++) alias = `${wanted}${i}`;
      this.#aliases.set(specifier, alias);
    }
    return `${alias}.${name}`;
  }

  /** A type that TypeScript lacks. */
  helper(name: string): string {
    this.#helpers.add(name);
    return name;
  }

  get imports(): string {
    const own = [...this.#runtime].sort().map((name) => {
      const alias = this.#runtimeAlias(name);
      return `${name === "defineKind" ? "" : "type "}${name}${alias === name ? "" : ` as ${alias}`}`;
    });
    const runtime = own.length > 0 ? `import { ${own.join(", ")} } from "@tsbuilder/runtime";\n` : "";
    const others = [...this.#aliases].map(
      ([specifier, alias]) => `import type * as ${alias} from ${stringLiteral(specifier)};\n`,
    );
    return runtime + others.join("");
  }

  get helpers(): string[] {
    return [...this.#helpers].map((name) => helpers[name]!);
  }
}
