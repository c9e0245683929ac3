/** Modules that the parser refers to and never needs, with stand-ins for what it refers to. */
const stubs: Readonly<Record<string, string>> = {
  "performanceCore.ts": "var timestamp = Date.now; function tryGetNativePerformanceHooks() {}",
  "sys.ts": "var sys;",
  "tracing.ts": "var tracing;",
};

/** The methods of nodes that the declarations promise; in the compiler, a module above the parser adds them. */
const nodeMethods = `
const { getNodeConstructor, getTokenConstructor, getIdentifierConstructor } = objectAllocator;
for (const { prototype } of [getNodeConstructor(), getTokenConstructor(), getIdentifierConstructor()]) {
  prototype.getStart = function (source) { return getTokenPosOfNode(this, source); };
  prototype.getText = function (source) { return source.text.substring(this.getStart(source), this.end); };
}
Object.defineProperty(getIdentifierConstructor().prototype, "text", { get() { return idText(this); } });
`;

/**
 * Cuts the parser of TypeScript out of the text of `typescript.js`, as a module with some exports. That file is all modules
 * of the compiler one after another, lower ones first, each after a comment with its path: all up to the parser are
 * enough. Throws if the file has another form.
 */
export function cutParser(compiler: string, exported: readonly string[]): string {
  const [start = "", ...modules] = compiler.split(/^\/\/ src\/compiler\/(?=\S+\.ts$)/mu);
  const names = modules.map((text) => text.slice(0, text.indexOf("\n")));
  const last = names.indexOf("parser.ts");
  const license = /^\/\*![^]*?\*\//u.exec(start)?.[0];
  const helpers = /^"use strict";\n([^]*?)(?=^\/\/ src\/)/mu.exec(start)?.[1];
  if (last === -1 || license === undefined || helpers === undefined) {
    throw new Error(
      "typescript.js is no longer a sequence of modules, each after a comment with its path. Find out how this " +
        "version is bundled, and cut it accordingly",
    );
  }
  const texts = modules
    .slice(0, last + 1)
    .map((text, index) => stubs[names[index]!] ?? text.slice(text.indexOf("\n") + 1));
  const code = withoutUnusedMessages(texts.join("\n"));
  return [license, helpers, code, nodeMethods, `export { ${exported.join(", ")} };`, ""].join("\n");
}

/** Removes the messages of the checker, nine in ten: each would become an object as soon as the parser is loaded. */
function withoutUnusedMessages(code: string): string {
  const used = new Set(code.match(/(?<=\bDiagnostics\.)\w+/gu));
  return code.replaceAll(/^ {2}(\w+): diag\(.*\),?\n/gmu, (line, name: string) =>
    used.has(name) ? line : "",
  );
}

/** Returns the declarations of that module, by the compiler's own types. */
export function declareParser(exported: readonly string[]): string {
  const names = exported.map((name) => `export const ${name}: typeof ts.${name};\n`);
  return ['import type ts from "typescript";\n\n', ...names].join("");
}
