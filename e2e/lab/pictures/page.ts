import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { findChromium } from "../../book/check-book.ts";
import { readPageAssets } from "../../../src/cli/commands/develop/page-assets.ts";
import { startPage } from "../../../src/dev/page/page-server.ts";
import { fileRecord } from "../../../src/dev/record/read-recording.ts";
import { repository } from "../../support/source-imports.ts";
import { pictureSession } from "./session.ts";

// npm run lab -- pictures: the pictures of the page of dev in README and book, from a session that a script makes.

const found = findChromium();
if ("missing" in found) {
  console.log(`left out: pictures of the page of dev: ${found.missing}`);
  process.exit();
}
const folder = mkdtempSync(join(tmpdir(), "tsbuilder-pictures-"));
const file = join(folder, "session.jsonl");
writeFileSync(
  file,
  pictureSession()
    .map((line) => `${JSON.stringify(line)}\n`)
    .join(""),
);
const page = await startPage({ assets: readPageAssets(), record: fileRecord(file) });
const browser = await chromium.launch({ executablePath: found.program, args: ["--no-sandbox"] });
try {
  const tab = await browser.newPage({
    viewport: { width: 1200, height: 630 },
    timezoneId: "UTC",
    locale: "en-GB",
  });
  await tab.goto(page.url);
  await tab.locator(".state", { hasText: "recorded" }).waitFor();
  await tab.locator(".problems li", { hasText: "fight" }).waitFor();
  const path = join(repository, "src/book/public/pictures/page.png");
  await tab.screenshot({ path });
  console.log(path);
} finally {
  await browser.close();
  await page.stop();
  rmSync(folder, { recursive: true });
}
