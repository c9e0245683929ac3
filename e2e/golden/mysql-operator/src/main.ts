/*
 * Copyright The MySQL operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */

import { Manager } from "@tsbuilder/runtime";
import { setupMySQLController } from "./controller/mysql_controller.ts";
// +tsbuilder:scaffold:imports

// The library provides flags (`npm run build && npm start -- --help`), probes, metrics, leader election and TLS.
const manager = Manager.fromArgs({
  name: "mysql-operator",
  leaderElectionId: "5e3c7de0.example.com",
});

setupMySQLController(manager);
// +tsbuilder:scaffold:setup

// Resolves after SIGTERM, once running reconciles have finished.
await manager.start();
