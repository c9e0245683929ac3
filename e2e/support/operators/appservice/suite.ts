import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FakeClock } from "@tsbuilder/apimachinery/time";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isWrite } from "../api-gateway.ts";
import { absenceScenarios } from "./absence-scenarios.ts";
import { childrenScenarios } from "./children-scenarios.ts";
import { controllersScenarios } from "./controllers-scenarios.ts";
import { handEditScenarios } from "./hand-edit-scenarios.ts";
import { imageScenarios } from "./image-scenarios.ts";
import { refusalScenarios } from "./refusal-scenarios.ts";
import { scopeScenarios } from "./scope-scenarios.ts";
import { type Scenario, ScenarioContext } from "./context.ts";
import { troubleScenarios } from "./trouble-scenarios.ts";
import { unforeseenScenarios } from "./unforeseen-scenarios.ts";

/** The cluster of a suite. */
export interface SuiteCluster {
  /** An administrator's kubeconfig file. */
  readonly kubeconfig: string;
  /** Its clock, if a test moves it. */
  readonly clock?: FakeClock;
  stop(): Promise<void>;
}

/** Clusters with and without Kubernetes' controllers; without them, a test writes what the controllers would. */
export interface Clusters {
  readonly bare: () => Promise<SuiteCluster>;
  readonly withControllers: () => Promise<SuiteCluster>;
}

/** How long nothing may be written at the end; shorter after kills, which run on the machine's clock. */
const quietTime = 20_000;
const quietAfterKills = 1000;

const withoutControllers: readonly Scenario[] = [
  ...childrenScenarios,
  ...imageScenarios,
  ...refusalScenarios,
  ...troubleScenarios,
  ...handEditScenarios,
  ...unforeseenScenarios,
  ...absenceScenarios,
  ...scopeScenarios,
];

/** Runs every scenario of AppService and of deploy-image on a cluster with the machine's clock. */
export function appServiceSuite(where: string, { bare, withControllers }: Clusters): void {
  describeScenarios(`${where} without controllers`, bare, withoutControllers);
  describeScenarios(`${where} with its controllers`, withControllers, controllersScenarios);
}

/** Runs the scenarios that don't kill the operator, on a cluster with a clock that the test moves. */
export function appServiceSuiteOnClock(where: string, { bare, withControllers }: Clusters): void {
  const staysAlive = ({ kills }: Scenario) => !kills;
  describeScenarios(`${where} without controllers`, bare, withoutControllers.filter(staysAlive));
  describeScenarios(
    `${where} with its controllers`,
    withControllers,
    controllersScenarios.filter(staysAlive),
  );
}

/** Runs the scenarios that kill the operator. */
export function appServiceKills(where: string, start: () => Promise<SuiteCluster>): void {
  const kills = [...withoutControllers, ...controllersScenarios].filter((scenario) => scenario.kills);
  describeScenarios(where, start, kills, quietAfterKills);
}

function describeScenarios(
  where: string,
  startCluster: () => Promise<SuiteCluster>,
  scenarios: readonly Scenario[],
  quietFor = quietTime,
): void {
  describe(`the app operator on ${where}`, () => {
    let folder: string;
    let cluster: SuiteCluster;
    let context: ScenarioContext;

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "app-operator-"));
      cluster = await startCluster();
      context = await ScenarioContext.open(cluster.kubeconfig, folder, cluster.clock);
    });

    afterAll(async () => {
      await context?.close();
      await cluster?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    for (const { id, title, run, quiet = true, missing } of scenarios) {
      const namespace = id.toLowerCase();
      if (missing !== undefined) console.log(`left out: ${id} ${title}: ${missing}`);
      test.skipIf(missing !== undefined)(`${id} ${title}`, async () => {
        expect.hasAssertions();
        await context.makeNamespace(namespace);
        // A failed scenario may have left the operator stopped or the gateway cut.
        if (!context.operator.isRunning) await context.start();
        if (quiet) context.quietNamespaces.add(namespace);
        await run(context, namespace);
      });
    }

    test(`then nothing is written for ${quietFor / 1000} s`, async () => {
      const writes = context.writesFromNow();
      const before = await context.versions(context.quietNamespaces);
      await context.wait(quietFor);
      expect(writes().map(({ method, path }) => `${method} ${path}`)).toEqual([]);
      expect(await context.versions(context.quietNamespaces)).toEqual(before);
    });

    test("the operator has written only the status of its own kinds", () => {
      const own = context.gateway.requests.filter(
        (request) => isWrite(request) && /\/(appservices|memcacheds)\//.test(request.path),
      );
      expect(own.filter(({ path }) => !path.endsWith("/status"))).toEqual([]);
      expect(own.length).toBeGreaterThan(0);
    });

    test("its permissions sufficed, and it logged no error", () => {
      expect(context.refused.filter(isUnexpected)).toEqual([]);
      const errors = context.operator.lines.filter(({ level }) => level === "error");
      expect(errors.map((line) => JSON.stringify(line)).filter(isUnexpected)).toEqual([]);
      // Node itself prints warnings on lines that are not JSON.
      expect(context.operator.lines.filter(({ level }) => level === undefined)).toEqual([]);
    });
  });
}

/**
 * A terminating namespace loses its objects in any order, so the operator may miss a child and apply it once more, in
 * vain.
 */
function isUnexpected(line: string): boolean {
  return !/being terminated|namespaces \\"[^"]*\\" not found/.test(line);
}
