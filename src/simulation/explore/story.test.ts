import { readFileSync } from "node:fs";
import type { Manager } from "@tsbuilder/runtime";
import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
import { expect, test } from "vitest";
import { applyShop, Shop, shopScenario, shopsThat } from "../../../e2e/support/simulation/simulated-shop.ts";
import { wrongShops } from "../../../e2e/support/simulation/wrong-shops.ts";
import { external, type Fault, type Scenario } from "../contract/index.ts";
import { examineScenario, explore } from "./explore.ts";

const own = { force: true } as const;
const steps = [applyShop("a", { size: 1, colour: "red" })];

/** Returns the sections of the story that a scenario has, by their titles, with the lines of this file named by their ends. */
async function sectionsOf(scenario: Scenario): Promise<Record<string, string[]>> {
  const { story = "" } = (await examineScenario(scenario)) ?? {};
  const source = readFileSync(import.meta.filename, "utf8").split("\n");
  const named = story.replaceAll(/src\/simulation\/explore\/story\.test\.ts:(\d+):\d+/g, (site, line) => {
    return /\/\/ (\w+)$/.exec(source[Number(line) - 1]!)?.[1] ?? site;
  });
  const withoutShops = named.replaceAll(
    /(?:, | \(called at )e2e\/support\/simulation\/simulated-shop\.ts:\d+:\d+\)/g,
    "",
  );
  const [, ...sections] = withoutShops.split("\n\n").map((section) => section.split("\n  "));
  return Object.fromEntries(sections.map(([title = "", ...lines]) => [title, lines]));
}

const titles = ["What was done:", "What the operator did about it:", "In your code:"];

test.each(Object.entries(wrongShops))("a story fits on a screen, the cause first: %s", async (_, setup) => {
  const objects = [
    { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "default", name: "somebodys" } },
  ];
  const { failure } = await explore({ ...shopScenario(setup), objects }, { seeds: 60 });
  const lines = failure!.story.split("\n");
  expect(lines.length).toBeLessThanOrEqual(40);
  expect(lines[0]).toContain(`${failure!.verdict.class}: `);
  expect(lines[3]).toMatch(/^In the end, other than|^It is wrong that/);
  expect(lines.filter((line) => titles.includes(line))).toEqual(titles);
  expect(lines.at(-1)).toMatch(/^ {2}e2e\/support\/simulation\/[a-z-]+\.ts:\d+:\d+/);
  // Told again, it is the same.
  expect(await examineScenario(failure!.scenario)).toMatchObject({
    story: failure!.story,
    trace: failure!.trace,
  });
});

test("what nobody wrote is written by a line that a fault kept from it", async () => {
  const setup = shopsThat(async ({ client }, shop) => {
    const metadata = { namespace: "default", name: shop.metadata.name };
    if (shop.status?.size === shop.spec.size) return;
    await client.patchStatus(Shop, shop, { size: shop.spec.size }); // notes
    await client.apply(ConfigMap, { metadata, data: {} }, { ...own, owner: shop }); // applies
  });
  const died: Fault = { fault: "crash", process: "shop-0", write: 1, when: "after", down: 500 };
  const sections = await sectionsOf({ ...shopScenario(setup), steps, faults: [died] });
  expect(sections["In the end, other than without the faults:"]).toEqual([
    "ConfigMap.v1 default/a is missing",
  ]);
  expect(sections["What was done:"]).toEqual([
    expect.stringMatching(/s {2}the user: apply Shop.sim.dev\/v1 default\/a \{"size":1,"colour":"red"\}$/),
    expect.stringMatching(/s {2}FAULT: shop-0 dies after its write 1, and starts again after 500 ms$/),
  ]);
  // What it had done before it died is told, too.
  expect(sections["What the operator did about it:"]).toEqual([
    expect.stringContaining("shop-0 reconciles default/a (shop)"),
    expect.stringMatching(/shops\.sim\.dev default\/a changes in status \(by shop-0\) {2}← notes$/),
    expect.stringContaining("shop-0 dies"),
  ]);
  expect(sections["In your code:"]).toEqual([
    "applies  creates configmaps default/a without the faults; here, nothing did",
  ]);
});

test("a wrong field has the line that wrote it, and the last one that could have changed it", async () => {
  const setup = shopsThat(async ({ client }, shop) => {
    const key = { namespace: "default", name: shop.metadata.name };
    const { colour = "white", size } = shop.spec;
    const map = await client.find(ConfigMap, key, { live: true });
    if (map) await client.patch(ConfigMap, key, { merge: { data: { size: `${size}` } } }); // patches
    else
      await client.create(ConfigMap, { metadata: key, data: { colour, size: `${size}` } }, { owner: shop }); // creates
  });
  const changed = [...steps, { do: "settle" } as const, applyShop("a", { size: 2, colour: "blue" })];
  const sections = await sectionsOf({ ...shopScenario(setup), steps: changed });
  expect(sections["In the end, other than if the same had been asked for from the start:"]).toEqual([
    'ConfigMap.v1 default/a: data.colour is "red", not "blue"',
  ]);
  expect(sections["In your code:"]).toEqual([
    expect.stringMatching(/^creates {2}creates configmaps default\/a, at \d/),
    expect.stringMatching(/^patches {2}changes configmaps default\/a, at \d/),
  ]);
});

const mail = external({
  url: "http://mail/",
  state: () => ({ boxes: {} as Record<string, string> }),
  async handle(request, { boxes }) {
    boxes[request.url] = await request.text();
    return new Response();
  },
});

test("what is left outside has the line that made it, and who called that", async () => {
  const put = (name: string) => fetch(`http://mail/${name}`, { method: "PUT", body: name }); // puts
  const setup = shopsThat(async (_, { metadata, status }) => {
    if (!status) await put(metadata.name); // asks
  });
  const sections = await sectionsOf({ ...shopScenario(setup), steps, external: { mail } });
  expect(sections["It is wrong that"]).toEqual([
    expect.stringContaining("after the deletion, boxes.external mail/"),
  ]);
  expect(sections["In your code:"]![0]).toMatch(
    /^puts \(called at asks {2}calls mail: PUT http:\/\/mail\/a, at \d/,
  );
});

test("what an operator does again and again is told once", async () => {
  const polls = (manager: Manager): void =>
    void manager.controllerFor(Shop).complete({
      async reconcile({ name }) {
        await fetch(`http://mail/${name}`, { method: "PUT", body: name });
        return { requeueAfter: "1m" };
      },
    });
  const sections = await sectionsOf({ ...shopScenario(polls), steps, external: { mail } });
  const told = sections["What the operator did about it:"]!;
  expect(told.filter((line) => line.includes("calls mail: PUT http://mail/a: 200"))).toHaveLength(1);
  expect(told).toContainEqual(
    expect.stringMatching(/^ *\d+\.\d{3} s {4}… the same \d+ times more, until then$/),
  );
});

test("a broken promise has the line whose effect broke it, and an error the line that threw it", async () => {
  const setup = (message: string) => (manager: Manager) =>
    shopsThat(async ({ client }, shop) => {
      if (shop.spec.size === 2) throw new Error(message); // throws
      await client.patchStatus(Shop, shop, { size: shop.spec.size }); // notes
    })(manager);
  const hasStatus: Scenario["never"] = {
    "a status": (state) => state.list("Shop").some((shop) => "status" in shop),
  };
  const broken = await sectionsOf({ ...shopScenario(setup("no")), steps, never: hasStatus });
  expect(broken["In your code:"]).toEqual([expect.stringMatching(/^notes {2}changes shops/)]);
  const failing = await sectionsOf({ ...shopScenario(setup("no")), steps: [applyShop("a", { size: 2 })] });
  expect(failing["In your code:"]).toEqual([expect.stringMatching(/^throws {2}throws, at \d/)]);
});

test("the trace has everything, with the lines that caused it", async () => {
  const setup = shopsThat(({ client }, shop) => client.patchStatus(Shop, shop, { size: Date.now() }));
  const failure = await examineScenario({ ...shopScenario(setup), steps });
  expect(failure?.story).toMatch(/… the same \d+ times more, until then/);
  const lines = failure!.trace.split("\n");
  expect(lines.length).toBeGreaterThan(500);
  expect(
    lines.filter((line) => line.includes("← src/simulation/explore/story.test.ts:")).length,
  ).toBeGreaterThan(200);
});
