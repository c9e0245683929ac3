import { killRounds } from "../../support/cluster/kill-rounds.ts";

/** Kills an embedded cluster again and again while watchers resume: `npm run lab -- soak-kills [rounds]`. */
const rounds = Number(process.argv[2] ?? 50);
const { writes, problems } = await killRounds(rounds, (round, sum) => {
  console.log(`round ${round}: ${sum} acknowledged writes`);
});
for (const problem of problems.slice(0, 20)) console.error(problem);
console.log(`${rounds} kills, ${writes} acknowledged writes, ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
