import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

const repository = join(import.meta.dirname, "../../../..");

/** Something that a package exports. */
export interface ExportedSymbol {
  readonly name: string;
  /** Its doc comment as Markdown; empty without one. */
  readonly doc: string;
  readonly declarations: readonly ts.Declaration[];
  /** `src/runtime/queue/backoff.ts` */
  readonly file: string;
}

/** The sources of modules, and what they export, in the order of the names. */
export class ExportedSymbols {
  readonly #program: ts.Program;
  readonly checker: ts.TypeChecker;

  constructor(modules: readonly string[]) {
    const { config } = ts.readConfigFile(join(repository, ".config/tsconfig.strict.json"), (file) =>
      readFileSync(file, "utf8"),
    ) as { config: object };
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, repository);
    this.#program = ts.createProgram(
      modules.map((module) => join(repository, module)),
      { ...options, noEmit: true },
    );
    this.checker = this.#program.getTypeChecker();
  }

  of(module: string): ExportedSymbol[] {
    const source = this.#program.getSourceFile(join(repository, module))!;
    const exported = this.checker.getExportsOfModule(this.checker.getSymbolAtLocation(source)!);
    return exported
      .map((symbol) => this.#read(symbol))
      .toSorted((a, b) => a.name.localeCompare(b.name, "en"));
  }

  #read(symbol: ts.Symbol): ExportedSymbol {
    const { checker } = this;
    const own = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    const declarations = own.declarations ?? [];
    return {
      name: symbol.name,
      doc: ts.displayPartsToString(own.getDocumentationComment(checker)),
      declarations,
      file: declarations[0]!.getSourceFile().fileName.slice(repository.length + 1),
    };
  }
}
