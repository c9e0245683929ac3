import axe from "axe-core";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import type { Site } from "./explain-site.ts";
import { findChromium } from "./find-chromium.ts";
import { openPage } from "./open-page.ts";
import { pressKeys } from "./press-keys.ts";
import { serveSite } from "./serve-site.ts";

const widths = [1280, 390];

/** Only a page that never comes takes as long, however busy the machine is. */
const patience = 300_000;

/** Reads every page in Chromium, on a large and a small screen, light and dark; returns what is wrong. */
export async function readInBrowser(site: Site): Promise<string[]> {
  const found = findChromium();
  if ("missing" in found) {
    if (found.isChosen) return [found.missing];
    console.log(`left out: the pages in a browser: ${found.missing}`);
    return [];
  }
  const { program } = found;
  const server = await serveSite(site);
  try {
    const browser = await chromium.launch({ executablePath: program, args: ["--no-sandbox"] });
    try {
      return await readAll(browser, site, server.origin);
    } finally {
      await browser.close();
    }
  } catch (error) {
    return [`${program} can't read the pages: ${(error as Error).message.split("\n")[0]}`];
  } finally {
    await server.stop();
  }
}

async function readAll(browser: Browser, site: Site, origin: string): Promise<string[]> {
  const addresses = [...site.pages.keys()]
    .filter((path) => path !== "404.html")
    .map((path) => `${origin}${site.base}${path.replace(/index\.html$/, "")}`);
  const context = await browser.newContext({ reducedMotion: "reduce" });
  context.setDefaultTimeout(patience);
  const readers = [addresses.filter((_, at) => at % 2 === 0), addresses.filter((_, at) => at % 2 === 1)];
  const found = await Promise.all(readers.map((own) => readPages(context, own, origin)));
  console.log(`${addresses.length} pages read in Chromium ${browser.version()}, in 4 ways each`);
  const pressed = await pressKeys(context, `${origin}${site.base}`).catch((error: Error) => [
    `the keyboard can't be tried: ${error.message.split("\n")[0]}`,
  ]);
  return [...found.flat(), ...pressed];
}

async function readPages(
  context: BrowserContext,
  addresses: readonly string[],
  origin: string,
): Promise<string[]> {
  const problems: string[] = [];
  const page = await context.newPage();
  let address = "";
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(`${address}: ${message.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`${address}: ${error.message}`));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !url.startsWith("data:")) problems.push(`${address} requests ${url}`);
  });
  for (address of addresses) {
    try {
      await page.setViewportSize({ width: widths[0]!, height: 900 });
      await openPage(page, address);
      await page.evaluate(axe.source);
      for (const width of widths) problems.push(...(await readAt(page, width, address)));
    } catch (error) {
      problems.push(`${address} can't be read: ${(error as Error).message.split("\n")[0]}`);
    }
  }
  return problems;
}

async function readAt(page: Page, width: number, address: string): Promise<string[]> {
  const problems: string[] = [];
  await page.setViewportSize({ width, height: 900 });
  for (const scheme of ["light", "dark"]) {
    await page.evaluate(`document.documentElement.classList.toggle("dark", ${scheme === "dark"})`);
    const where = `${address} (${width} px, ${scheme})`;
    const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
    if (Number(overflow) > 0) problems.push(`${where} is ${Number(overflow)} px too wide`);
    for (const violation of await page.evaluate<Violation[]>(judge(scheme)))
      problems.push(
        `${where}: ${violation.help}: ${violation.nodes.map(({ html }) => html.slice(0, 120)).join(" ")}`,
      );
  }
  return problems;
}

/** Has axe judge the page. Dark pages differ in nothing but their colours. */
function judge(scheme: string): string {
  const runOnly = scheme === "dark" ? ["color-contrast"] : undefined;
  const options = JSON.stringify({ resultTypes: ["violations"], runOnly });
  return `axe.run(${options}).then(({ violations }) => violations)`;
}

interface Violation {
  readonly help: string;
  readonly nodes: readonly { readonly html: string }[];
}
