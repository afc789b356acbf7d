import { spawnSync } from 'node:child_process';
import { CHANGESETS, listChanges, listNotes, readRepository, ReleaseError, run } from './workspace.mjs';

const UNSET =
  'No repository is set: `"repository": "https://github.com/<owner>/<name>"` in the root package.json. ' +
  'npm refuses a provenance without it.';

/** Reasons against a release at present, as sentences. */
export function findObstacles() {
  const changes = listChanges();
  const notes = listNotes();
  return [
    ...(readRepository() === null ? [UNSET] : []),
    ...(changes.length > 0 ? [`The work tree has ${changes.length} changes that are not committed.`] : []),
    ...(notes.length > 0 ? [`${notes.length} notes of .changeset have no version yet: release --prepare.`] : []),
  ];
}

/** Publishes tarballs whose versions the registry does not have, each after those that it needs, and tags them. */
export function publishPackages(packages) {
  for (const { name, version, tarball } of packages) {
    const words = ['view', `${name}@${version}`, 'version'];
    const { status, stdout, stderr } = spawnSync('npm', words, { encoding: 'utf8' });
    // A package that the registry has never seen is 404; a version that it does not have is an empty answer.
    if (status !== 0 && !stderr.includes('E404')) throw new ReleaseError(`The registry does not answer:\n${stderr}`);
    const isPublished = status === 0 && stdout.trim() === version;
    if (!isPublished) run('npm', ['publish', tarball, '--access', 'public', '--provenance'], { stdio: 'inherit' });
    console.log(`- ${name}@${version} ${isPublished ? 'was published before' : 'published'}`);
  }
  run(process.execPath, [CHANGESETS, 'git-tag'], { stdio: 'inherit' });
}
