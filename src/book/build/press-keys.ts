import type { BrowserContext, Page } from "playwright-core";
import { openPage } from "./open-page.ts";

/** How much slower than this machine the one is whose keys are pressed: a key must not be lost on any. */
const slowness = 10;

/** Opens the search and a page of the table of contents by the keyboard alone; returns what could not be reached. */
export async function pressKeys(context: BrowserContext, home: string): Promise<string[]> {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: slowness });
  await page.setViewportSize({ width: 1280, height: 900 });
  const problems: string[] = [];
  for (const [what, reach] of Object.entries(ways)) {
    try {
      await openPage(page, home);
      await reach(page);
    } catch (error) {
      const [reason] = (error as Error).message.split("\n");
      problems.push(`the keyboard does not reach ${what}: ${reason}`);
    }
  }
  await page.close();
  return problems;
}

const ways: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  "the link to the content": async (page) => tabTo(page, ".VPSkipLink", 1),
  "a result of the search": async (page) => {
    await page.keyboard.press("Control+k");
    await page.waitForSelector("#localsearch-input:focus");
    await page.keyboard.type("quick start");
    // What the first letters find is shown while the others are typed.
    await page.waitForSelector("#localsearch-list [role=option]:first-child a[href*='/quick-start.html']");
    await page.keyboard.press("Enter");
    await page.waitForURL(/quick-start/);
  },
  "a page of the table of contents": async (page) => {
    await tabTo(page, ".VPSidebar a[href$='/quick-start.html']", 40);
    await page.keyboard.press("Enter");
    await page.waitForURL(/quick-start/);
  },
};

async function tabTo(page: Page, selector: string, presses: number): Promise<void> {
  for (let press = 0; press < presses; press++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
  }
  throw new Error(`${presses} times Tab`);
}
