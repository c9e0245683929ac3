/*
 * Copyright The MySQL operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */

import { Manager } from "@tsbuilder/runtime";
import { setupMySQLController } from "./controller/mysql_controller.ts";
// +tsbuilder:scaffold:imports

// Flags, probes, metrics, leader election and TLS are the library's: `npm run run -- -- --help` lists them.
const manager = Manager.fromArgs({
  name: "mysql-operator",
  leaderElectionId: "5e3c7de0.example.com",
});

setupMySQLController(manager);
// +tsbuilder:scaffold:setup

// Ends after SIGTERM, once the work in hand is done.
await manager.start();
