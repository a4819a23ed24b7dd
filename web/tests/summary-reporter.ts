import type { Reporter, TestModule } from 'vitest/node';

/** Closes a run with the one line that scripts/test adds up. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string) => tests.filter((test) => test.result().state === state).length;
    const broken = modules.filter((module) => module.errors().length > 0).length + errors.length;
    console.log(`${count('passed')} passed, ${count('failed') + broken} failed, ${count('skipped')} skipped`);
  }
}
