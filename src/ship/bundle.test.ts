import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { watchableBundle } from "./bundle.ts";

test("a rebuild takes what was saved while the one before it ran", async () => {
  const project = mkdtempSync(join(tmpdir(), "tsbuilder-bundle-"));
  onTestFinished(() => rmSync(project, { recursive: true, force: true }));
  mkdirSync(join(project, "src"));
  const main = join(project, "src/main.ts");
  const outfile = join(project, "operator.mjs");
  writeFileSync(main, 'console.log("first");');
  const bundle = await watchableBundle(project, outfile);
  onTestFinished(() => bundle.close());
  await bundle.rebuild();

  for (let round = 0; round < 20; round += 1) {
    writeFileSync(main, "console.log(;");
    const broken = bundle.rebuild();
    broken.catch(() => undefined);
    // The bundler reads the file at some moment of its run; the edit comes before, during or after it.
    await new Promise((resolve) => setTimeout(resolve, round / 4));
    writeFileSync(main, `console.log("round ${round}");`);
    await bundle.rebuild();
    expect(readFileSync(outfile, "utf8")).toContain(`round ${round}`);
  }
});
