import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient, loadConfig } from "@tsbuilder/runtime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findChromium } from "../../book/check-book.ts";
import { type LongCommand, startTsbuilder } from "../../support/dev/dev-process.ts";
import { type OpenPage, openPage } from "../../support/dev/page/open-page.ts";
import { failingLines, plantFailures } from "../../support/dev/page/planted-operator.ts";
import { eventually } from "../../support/eventually.ts";
import { initProject } from "../../support/projects/init-project.ts";
import { run, type Shell } from "../../support/shell.ts";
import { repository } from "../../support/source-imports.ts";

// Planted mistakes: from opening the page of `tsbuilder dev` to the line of code in the editor it takes one click.

const found = findChromium();
if ("missing" in found) console.log(`left out: mistakes on the page of dev in a browser: ${found.missing}`);
const cli = join(repository, "bin/tsbuilder.js");

describe.skipIf("missing" in found)("from the page of dev to a mistake", () => {
  let work: string;
  let project: Shell;
  let source: string;
  let dev: LongCommand;
  let address: string;
  let client: Client;
  let opened: OpenPage | undefined;
  let opens: string;

  beforeAll(async () => {
    work = realpathSync(mkdtempSync(join(tmpdir(), "tsbuilder-mistakes-")));
    const editor = join(work, "editor");
    opens = join(work, "opened");
    writeFileSync(editor, `#!/bin/sh\necho "$1" > ${opens}.new\nmv ${opens}.new ${opens}\n`);
    chmodSync(editor, 0o755);
    project = { folder: join(work, "mysql-operator"), env: { HOME: work, TSBUILDER_EDITOR: editor } };
    mkdirSync(project.folder);
    await initProject(project);
    await run(project, "node", cli, "create", "api", "--group", "apps", "--version", "v1", "--kind", "MySQL");
    source = join(project.folder, "src/controller/mysql_controller.ts");
    writeFileSync(source, plantFailures(readFileSync(source, "utf8")));
    dev = startTsbuilder(project, "dev", "--plain", "--samples");
    address = (await dev.sees("see what happens: ")).slice("see what happens: ".length);
    await dev.sees("applied 1 sample");
    client = createClient(
      await loadConfig({ kubeconfig: join(project.folder, ".tsbuilder/dev/kubeconfig"), env: {} }),
    );
    const kind = await client.mapper.kindFor({ apiVersion: "apps.example.com/v1", kind: "MySQL" });
    for (const name of Object.keys(failingLines))
      await client.create(kind, { metadata: { namespace: "default", name }, spec: {} });
  });

  afterAll(async () => {
    await opened?.close();
    await dev?.stop();
    rmSync(work, { recursive: true, force: true });
  });

  test.each(Object.entries(failingLines))(
    "%s: a click on the line opens it in the editor",
    async (name, line) => {
      rmSync(opens, { force: true });
      const began = performance.now();
      opened = await openPage("program" in found ? found.program : "", address);
      const cause = opened.page.locator(".problems li", { hasText: `MySQL default/${name}` });
      await cause.locator(".source button").click();
      const [, file, number] =
        /^(.+):(\d+):\d+$/u.exec(await eventually(() => readFileSync(opens, "utf8").trim())) ?? [];
      console.log(
        `${name}: ${((performance.now() - began) / 1000).toFixed(1)} s with the start of the browser`,
      );
      expect(file).toBe(source);
      expect(readFileSync(source, "utf8").split("\n")[Number(number) - 1]).toContain(line);
      await opened.picture(`mistake-${name}`);
      expect(opened.problems).toEqual([]);
      await opened.close();
    },
  );
});
