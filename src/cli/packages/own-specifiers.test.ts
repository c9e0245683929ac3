import { expect, test } from "vitest";
import { restoreSpecifiers } from "./manifest.ts";

const print = (runtime: string, tsbuilder = "0.1.0", pino = "10.0.0") =>
  JSON.stringify(
    { dependencies: { "@tsbuilder/runtime": runtime, pino }, devDependencies: { tsbuilder } },
    undefined,
    2,
  );

test.each([
  ["a range that npm moved", "^0.1.3", "0.1.0"],
  ["a version", "0.2.0", "0.2.0"],
  ["a range by ~", "~0.1.0", "~0.1.0"],
  ["a tarball of another build", "file:vendor/tsbuilder-runtime-1.tgz", "file:vendor/tsbuilder-1.tgz"],
])("restores %s", (_, runtime, tsbuilder) => {
  expect(restoreSpecifiers(print(runtime, tsbuilder, "11.0.0"), print("^0.1.0"))).toBe(
    print("^0.1.0", "0.1.0", "11.0.0"),
  );
});

test.each(["file:../runtime", "github:me/runtime", "npm:my-runtime@1", "latest"])(
  "keeps %s, which the user chose",
  (runtime) => {
    expect(restoreSpecifiers(print(runtime), print("^0.1.0"))).toBe(print(runtime));
  },
);

test("restores the dependency, and not an override of the user's that reads the same", () => {
  const manifest = (runtime: string) => ({
    overrides: { "@tsbuilder/runtime": "^0.3.0" },
    pnpm: { packageExtensions: { other: { dependencies: { "@tsbuilder/runtime": "^0.3.0" } } } },
    dependencies: { "@tsbuilder/runtime": runtime },
  });
  expect(restoreSpecifiers(JSON.stringify(manifest("^0.3.0")), print("^0.2.0"))).toBe(
    JSON.stringify(manifest("^0.2.0")),
  );
});

test("restores in a file that is written in another way, which stays", () => {
  const text = (range: string) => `{"dependencies":\n{"@tsbuilder/runtime" :\t"${range}"}}`;
  expect(restoreSpecifiers(text("^0.3.0"), print("^0.2.0"))).toBe(text("^0.2.0"));
});

test("adds no package that the user removed, and changes nothing that is not JSON", () => {
  expect(restoreSpecifiers("{}", print("^0.1.0"))).toBe("{}");
  expect(restoreSpecifiers("<<<<<<<", print("^0.1.0"))).toBe("<<<<<<<");
});
