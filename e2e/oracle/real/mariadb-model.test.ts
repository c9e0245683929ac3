import { spawnSync } from "node:child_process";
import { chmodSync } from "node:fs";
import * as fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { databaseFolder } from "./database-servers.ts";
import { MariaCluster } from "./maria-cluster.ts";
import type { Knowledge } from "./maria-knowledge.ts";
import { anyMove, canFillData, type Move, moves } from "./maria-moves.ts";

// Random writes, kills, lost, older and full volumes, switchovers, rotations, restores, full volumes of backups and jumping
// clocks of real servers. A case takes half a minute, so there are few here;
// npm run lab -- explore --only e2e/oracle/real/mariadb-model.test.ts --runs 1000 tries forty fresh ones.

const missing = spawnSync("mariadbd", ["--version"]).status !== 0;
if (missing) console.log("left out: random cases of real MariaDB servers: mariadb-server is not installed");

describe.skipIf(missing)("whatever happens to the servers", () => {
  const tables = databaseFolder();
  chmodSync(tables.path, 0o777);
  afterAll(() => tables.remove());

  test("acknowledged rows are on the primary unless the status said otherwise, and ready replicas agree with it", async () => {
    const cases = Math.ceil(fc.readConfigureGlobal().numRuns! / 25);
    const examples: [Move[]][] = [
      [oldCopy],
      [wrongDates],
      ...(canFillData ? [[fullVolumes] as [Move[]]] : []),
    ];
    const property = fc.asyncProperty(fc.array(anyMove, { minLength: 3, maxLength: 8 }), play);
    // The examples count as runs.
    await fc.assert(property, { numRuns: cases + examples.length - 2, examples });
  });

  // Without ids of its own for each run of a server, replicas followed the older copy in silence.
  const oldCopy: Move[] = [
    { name: "save", at: 0 },
    { name: "write", at: 5 },
    { name: "putBack", at: 30 },
  ];

  // Neither the wrong dates of backups nor a full volume make another one the latest.
  const wrongDates: Move[] = [
    { name: "write", at: 9 },
    { name: "jumpClock", at: 900 },
    { name: "restore", at: 20 },
    { name: "jumpClock", at: 100 },
    { name: "fillBackups", at: 0 },
    { name: "rotate", at: 100 },
    { name: "restore", at: 30 },
  ];

  // The primary's, and then a replica's.
  const fullVolumes: Move[] = [
    { name: "write", at: 9 },
    { name: "fillData", at: 303 },
    { name: "fillData", at: 307 },
  ];

  async function play(list: readonly Move[]): Promise<void> {
    const cluster = await new MariaCluster().start(3, tables.path);
    const known: Knowledge = { rows: new Set(), copies: [], nextId: 0, rotations: 0 };
    try {
      for (const { name, at } of list) {
        await moves[name](cluster, known, at);
        await cluster.settle();
        const present = cluster.idsOf(cluster.current);
        expect([...known.rows].filter((id) => !present.has(id))).toEqual([]);
        for (const ordinal of cluster.ahead) {
          expect(cluster.servers[ordinal]!.script("ready.sh").code).not.toBe(0);
          // Its user has read what it has, and deletes its volume.
          cluster.servers[ordinal]!.empty();
        }
        await cluster.settle();
        expect([...cluster.ahead]).toEqual([]);
      }
    } finally {
      await cluster.stop();
    }
  }
});
