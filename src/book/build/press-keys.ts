import type { BrowserContext } from "playwright-core";

/** Opens the search and a page of the table of contents by the keyboard alone; returns what could not be reached. */
export async function pressKeys(context: BrowserContext, home: string): Promise<string[]> {
  const page = await context.newPage();
  const problems: string[] = [];
  const focused = (): Promise<string> => page.evaluate("document.activeElement?.textContent.trim() ?? ''");

  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto(home, { waitUntil: "networkidle" });
  await page.keyboard.press("Tab");
  if ((await focused()) !== "Skip to content")
    problems.push("the first Tab does not reach the link to the content");
  await page.keyboard.press("Control+k");
  await page.waitForSelector("#localsearch-input");
  await page.keyboard.type("quick start");
  await page.waitForSelector("#localsearch-list [role=option]");
  await page.keyboard.press("Enter");
  await page.waitForURL(/quick-start/);

  await page.goto(home, { waitUntil: "networkidle" });
  for (let presses = 0; presses < 30 && (await focused()) !== "Quick start"; presses++)
    await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.waitForURL(/quick-start/);
  await page.close();
  return problems;
}
