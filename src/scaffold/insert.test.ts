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
  test("inserts lines above the marker, with its indentation", () => {
    expect(insertLines(main, setup("setupA(manager);\nsetupB(manager);"))).toBe(
      main.replace("  // +ts", "  setupA(manager);\n  setupB(manager);\n  // +ts"),
    );
  });

  test.each([
    `import { setupA } from "./a.ts";`,
    `import {\n  setupA,\n} from './a.ts'`.replace("'./a.ts'", `"./a.ts";`),
    `import { other, setupA } from './a.ts';`,
    `import { setupA /* ours */ } from "./a.ts";`,
  ])("recognizes an import formatted as %j", (present) => {
    const text = `${present}\n${main}`;
    expect(insertLines(text, imports(`import { setupA } from "./a.ts";`))).toBe(text);
  });

  test("does not mistake an import of other names from the same module", () => {
    const text = `import { other } from "./a.ts";\n${main}`;
    expect(insertLines(text, imports(`import { setupA } from "./a.ts";`))).toContain(`import { setupA }`);
  });

  test.each(["setupA(manager);", "setupA( manager ) ;", "setupA(\n  manager, // the only one\n);"])(
    "recognizes a statement formatted as %j",
    (present) => {
      const text = `${main}${present}\n`;
      expect(insertLines(text, setup("setupA(manager);"))).toBe(text);
    },
  );

  test.each(["// setupA(manager);", '"setupA(manager);";', "`setupA(manager);`;"])(
    "does not mistake %j for the statement",
    (other) => {
      const text = `${other}\n${main}`;
      expect(insertLines(text, setup("setupA(manager);"))).not.toBe(text);
    },
  );

  test("keeps the order of the blueprint, regardless of the order of commands", () => {
    const [a, b] = [setup("setupA(manager);"), setup("setupB(manager);")];
    const inOrder = insertLines(insertLines(main, a, [b]), b);
    const outOfOrder = insertLines(insertLines(main, b), a, [b]);
    expect(outOfOrder).toBe(inOrder);
  });

  test("prints the lines to paste if the marker is missing", () => {
    const text = main.replace("// +tsbuilder:scaffold:imports\n", "");
    const wanted = `import { setupA } from "./a.ts";`;
    const failure = catchError(() => insertLines(text, imports(wanted)));
    expect(failure.code).toBe("MARKER_MISSING");
    expect(failure.message).toBe(`"src/main.ts" no longer has the line "// +tsbuilder:scaffold:imports"`);
    expect(failure.hint).toContain(wanted);
  });

  test("needs no marker for lines that exist", () => {
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

  test("removes only our name from an import that has others", () => {
    const text = `import { mine, setupA } from "./a.ts";\nmine();\n`;
    expect(removeLines(text, imports(`import { setupA } from "./a.ts";`))).toBe(
      `import { mine } from "./a.ts";\nmine();\n`,
    );
  });

  test("removes a statement that the formatter split", () => {
    const text = `before();\nsetupA(\n  manager,\n);\nafter();\n`;
    expect(removeLines(text, setup("setupA(manager);"))).toBe("before();\nafter();\n");
  });

  test("keeps lines that the user edited", () => {
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

test.each([
  ["config/kustomization.yaml", '"'],
  ["config/kustomization.yaml", "# nothing"],
  ["src/main.ts", "// nothing"],
])("in %s, %j is found nowhere: nothing of it is left to compare", (file, text) => {
  const place = { file, marker: "imports", text };
  expect(removeLines("first\nsecond\n", place)).toBe("first\nsecond\n");
});
