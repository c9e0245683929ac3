import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FakeClock } from "@tsbuilder/apimachinery/time";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isWrite } from "../api-gateway.ts";
import { absenceScenarios } from "./absence-scenarios.ts";
import { childrenScenarios } from "./children-scenarios.ts";
import { controllersScenarios } from "./controllers-scenarios.ts";
import { imageScenarios } from "./image-scenarios.ts";
import { refusalScenarios } from "./refusal-scenarios.ts";
import { scopeScenarios } from "./scope-scenarios.ts";
import { type Scenario, Stage } from "./stage.ts";
import { troubleScenarios } from "./trouble-scenarios.ts";
import { unforeseenScenarios } from "./unforeseen-scenarios.ts";

/** A cluster to play on. */
export interface ClusterToPlayOn {
  /** An administrator's kubeconfig file. */
  readonly kubeconfig: string;
  /** Its clock, if a test moves it. */
  readonly clock?: FakeClock;
  stop(): Promise<void>;
}

/** Clusters with and without the controllers of Kubernetes; without them a test plays their part. */
export interface Clusters {
  readonly bare: () => Promise<ClusterToPlayOn>;
  readonly withControllers: () => Promise<ClusterToPlayOn>;
}

/** Nothing may be written for this long before it counts as quiet; after kills, which take no clock, for this long. */
const quietTime = 20_000;
const quietAfterKills = 1000;

const withoutControllers: readonly Scenario[] = [
  ...childrenScenarios,
  ...imageScenarios,
  ...refusalScenarios,
  ...troubleScenarios,
  ...unforeseenScenarios,
  ...absenceScenarios,
  ...scopeScenarios,
];

/** Plays every scenario of AppService and of deploy-image on a cluster with the machine's time. */
export function appServiceSuite(where: string, { bare, withControllers }: Clusters): void {
  playAll(`${where} without controllers`, bare, withoutControllers);
  playAll(`${where} with its controllers`, withControllers, controllersScenarios);
}

/** Plays those that don't kill the operator, on a cluster with a clock that is moved. */
export function appServiceSuiteOnClock(where: string, { bare, withControllers }: Clusters): void {
  const staysAlive = ({ kills }: Scenario) => !kills;
  playAll(`${where} without controllers`, bare, withoutControllers.filter(staysAlive));
  playAll(`${where} with its controllers`, withControllers, controllersScenarios.filter(staysAlive));
}

/** Plays those that kill the operator. */
export function appServiceKills(where: string, start: () => Promise<ClusterToPlayOn>): void {
  const kills = [...withoutControllers, ...controllersScenarios].filter((scenario) => scenario.kills);
  playAll(where, start, kills, quietAfterKills);
}

function playAll(
  where: string,
  startCluster: () => Promise<ClusterToPlayOn>,
  scenarios: readonly Scenario[],
  quietFor = quietTime,
): void {
  describe(`the app operator on ${where}`, () => {
    let folder: string;
    let cluster: ClusterToPlayOn;
    let stage: Stage;

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "app-operator-"));
      cluster = await startCluster();
      stage = await Stage.open(cluster.kubeconfig, folder, cluster.clock);
    });

    afterAll(async () => {
      await stage?.close();
      await cluster?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    for (const { id, title, play, quiet = true, missing } of scenarios) {
      const namespace = id.toLowerCase();
      if (missing !== undefined) console.log(`left out: ${id} ${title}: ${missing}`);
      test.skipIf(missing !== undefined)(`${id} ${title}`, async () => {
        expect.hasAssertions();
        await stage.makeNamespace(namespace);
        // A scenario that failed may have left it so.
        if (!stage.operator.isRunning) await stage.start();
        if (quiet) stage.quietNamespaces.add(namespace);
        await play(stage, namespace);
      });
    }

    test(`then nothing is written for ${quietFor / 1000} s`, async () => {
      const writes = stage.writesFromNow();
      const before = await stage.versions(stage.quietNamespaces);
      await stage.wait(quietFor);
      expect(writes().map(({ method, path }) => `${method} ${path}`)).toEqual([]);
      expect(await stage.versions(stage.quietNamespaces)).toEqual(before);
    });

    test("of its own kinds it has written nothing but the status", () => {
      const own = stage.gateway.requests.filter(
        (request) => isWrite(request) && /\/(appservices|memcacheds)\//.test(request.path),
      );
      expect(own.filter(({ path }) => !path.endsWith("/status"))).toEqual([]);
      expect(own.length).toBeGreaterThan(0);
    });

    test("its permissions were enough, and nothing was an error", () => {
      expect(stage.refused.filter(isUnexpected)).toEqual([]);
      const errors = stage.operator.lines.filter(({ level }) => level === "error");
      expect(errors.map((line) => JSON.stringify(line)).filter(isUnexpected)).toEqual([]);
      // Node itself warns on lines that are no JSON.
      expect(stage.operator.lines.filter(({ level }) => level === undefined)).toEqual([]);
    });
  });
}

/** A namespace that ends loses its objects in any order, so that a child is missed and asked for once more, in vain. */
function isUnexpected(line: string): boolean {
  return !/being terminated|namespaces \\"[^"]*\\" not found/.test(line);
}
