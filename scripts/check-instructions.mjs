// Holds the native program to scripts/instruction-budget.json: the instructions that a command executes, as callgrind
// counts them. Unlike a time, a count is the same on a busy machine. `--write` notes today's counts with 10 % of room.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const root = new URL('../', import.meta.url);
const file = new URL('scripts/instruction-budget.json', root);
const budget = JSON.parse(readFileSync(file, 'utf8'));
const write = process.argv.includes('--write');

let failed = 0;
for (const [name, entry] of Object.entries(budget)) {
  const run = spawnSync('valgrind', ['--tool=callgrind', '--callgrind-out-file=/dev/null', 'build/release/whichgpu', ...entry.arguments], {
    cwd: root, encoding: 'utf8', maxBuffer: 1 << 28,
  });
  const collected = /Collected : (\d+)/.exec(run.stderr ?? '');
  if (!collected || run.status !== (entry.exit_code ?? 0)) {
    failed += 1;
    console.log(`FAILED ${name}: no count (exit code ${run.status})\n${(run.error?.message ?? run.stderr).slice(-2000)}`);
    continue;
  }
  const count = Number(collected[1]);
  if (write) entry.instructions = Math.ceil((count * 1.1) / 1e5) * 1e5;
  const within = count <= entry.instructions;
  if (!within) failed += 1;
  console.log(`${within ? 'ok    ' : 'FAILED'} ${name}: ${count} of ${entry.instructions}`);
}
if (write) writeFileSync(file, `${JSON.stringify(budget, null, 2)}\n`);
console.log(`${Object.keys(budget).length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
