// Compares two texts line by line.

/** Which lines of `after` are new or changed compared with `before`: an array with true or false for each line. The
 * others form a longest common subsequence. */
export function changedLines(before, after) {
  const [old, own] = [before.split('\n'), after.split('\n')];
  // lengths[i][k] is the length of the longest common subsequence of old from i on and own from k on
  const lengths = Array.from({ length: old.length + 1 }, () => new Uint32Array(own.length + 1));
  for (let i = old.length - 1; i >= 0; i--)
    for (let k = own.length - 1; k >= 0; k--)
      lengths[i][k] = old[i] === own[k] ? lengths[i + 1][k + 1] + 1 : Math.max(lengths[i + 1][k], lengths[i][k + 1]);
  const changed = new Array(own.length).fill(true);
  for (let i = 0, k = 0; i < old.length && k < own.length; )
    if (old[i] === own[k]) {
      changed[k] = false;
      i++;
      k++;
    } else if (lengths[i + 1][k] >= lengths[i][k + 1]) i++;
    else k++;
  return changed;
}
