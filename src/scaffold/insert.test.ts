import { describe, expect, test } from "vitest";
import { TsbuilderError } from "../shared/errors.ts";
import { insertLines, removeLines } from "./insert.ts";

const imports = (text: string) => ({ file: "src/main.ts", marker: "imports", text });
const setup = (text: string) => ({ file: "src/main.ts", marker: "setup", text });
const crds = (text: string) => ({ file: "config/crd/kustomization.yaml", marker: "crds", text });

const main = `import { Manager } from "@tsbuilder/runtime";
// +tsbuilder:scaffold:imports

function wire() {
  // +tsbuilder:scaffold:setup
}
`;

describe("insertLines()", () => {
  test("puts lines above the marker, with its indentation", () => {
    expect(insertLines(main, setup("setupA(manager);\nsetupB(manager);"))).toBe(
      main.replace("  // +ts", "  setupA(manager);\n  setupB(manager);\n  // +ts"),
    );
  });

  test.each([
    `import { setupA } from "./a.ts";`,
    `import {\n  setupA,\n} from './a.ts'`.replace("'./a.ts'", `"./a.ts";`),
    `import { other, setupA } from './a.ts';`,
    `import { setupA /* ours */ } from "./a.ts";`,
  ])("leaves an import alone that is laid out as %j", (present) => {
    const text = `${present}\n${main}`;
    expect(insertLines(text, imports(`import { setupA } from "./a.ts";`))).toBe(text);
  });

  test("doesn't take an import of other names from the same module for the one that is wanted", () => {
    const text = `import { other } from "./a.ts";\n${main}`;
    expect(insertLines(text, imports(`import { setupA } from "./a.ts";`))).toContain(`import { setupA }`);
  });

  test.each(["setupA(manager);", "setupA( manager ) ;", "setupA(\n  manager, // the only one\n);"])(
    "leaves a statement alone that is laid out as %j",
    (present) => {
      const text = `${main}${present}\n`;
      expect(insertLines(text, setup("setupA(manager);"))).toBe(text);
    },
  );

  test.each(["// setupA(manager);", '"setupA(manager);";', "`setupA(manager);`;"])(
    "doesn't take %j for the statement",
    (other) => {
      const text = `${other}\n${main}`;
      expect(insertLines(text, setup("setupA(manager);"))).not.toBe(text);
    },
  );

  test("keeps the order of the blueprint, whichever came first", () => {
    const [a, b] = [setup("setupA(manager);"), setup("setupB(manager);")];
    const inOrder = insertLines(insertLines(main, a, [b]), b);
    const outOfOrder = insertLines(insertLines(main, b), a, [b]);
    expect(outOfOrder).toBe(inOrder);
  });

  test("says which lines to paste where the marker is gone", () => {
    const text = main.replace("// +tsbuilder:scaffold:imports\n", "");
    const wanted = `import { setupA } from "./a.ts";`;
    const failure = catchError(() => insertLines(text, imports(wanted)));
    expect(failure.code).toBe("MARKER_MISSING");
    expect(failure.message).toBe(`"src/main.ts" no longer has the line "// +tsbuilder:scaffold:imports"`);
    expect(failure.hint).toContain(wanted);
  });

  test("needs no marker for lines that are there", () => {
    const text = `import { setupA } from "./a.ts";\n`;
    expect(insertLines(text, imports(`import { setupA } from "./a.ts";`))).toBe(text);
  });

  test("compares YAML without quotes, indentation and comments", () => {
    const text = `resources:\n  - "bases/a.yaml" # mine\n# +tsbuilder:scaffold:crds\n`;
    expect(insertLines(text, crds("- bases/a.yaml"))).toBe(text);
  });
});

describe("removeLines()", () => {
  test.each([imports(`import { setupA } from "./a.ts";`), setup("setupA(manager);")])(
    "undoes insertLines() for $text",
    (insert) => {
      expect(removeLines(insertLines(main, insert), insert)).toBe(main);
    },
  );

  test("takes out only our name of an import that has others", () => {
    const text = `import { mine, setupA } from "./a.ts";\nmine();\n`;
    expect(removeLines(text, imports(`import { setupA } from "./a.ts";`))).toBe(
      `import { mine } from "./a.ts";\nmine();\n`,
    );
  });

  test("takes a statement out that the formatter broke over lines", () => {
    const text = `before();\nsetupA(\n  manager,\n);\nafter();\n`;
    expect(removeLines(text, setup("setupA(manager);"))).toBe("before();\nafter();\n");
  });

  test("leaves lines alone that the user changed", () => {
    const text = `setupA(manager, { mine: true });\n`;
    expect(removeLines(text, setup("setupA(manager);"))).toBe(text);
  });
});

function catchError(call: () => unknown): TsbuilderError {
  try {
    call();
  } catch (error) {
    if (error instanceof TsbuilderError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}
