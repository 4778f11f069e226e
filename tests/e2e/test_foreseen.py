"""Rows whose outputs were compared at foreseeable places, and what may still be concluded from them."""

from run import GpubenchTest, main, plugin

OWNER, GUEST = plugin("sampled"), plugin("sampled_guest")


class Foreseen(GpubenchTest):
    def table(self, bench):
        self.done = self.ok("--plugin", OWNER, "--plugin", GUEST, "--bench", bench, "--out", bench, *self.fake(plain=50000, own=40000, quick=40000))
        return self.by_variant(self.dir / bench)

    def test_places_that_are_drawn_prove_it(self):
        rows = self.table("drawn")
        self.assertEqual({v: (r["verdict"], r["unproven"]) for v, r in rows.items()},
                         {"plain": ("", ""), "own": ("faster", ""), "quick": ("faster", "")})
        self.assertNotIn("could be foreseen", str(self.done))

    def test_places_by_the_seed_do_not(self):
        """A plugin may vouch for its own variants: they keep their verdict. The variant of another plugin gets none."""
        rows = self.table("seeded")
        self.assertEqual({v: (r["status"], r["verdict"], r["unproven"]) for v, r in rows.items()},
                         {"plain": ("ok", "", "foreseen"), "own": ("ok", "faster", "foreseen"), "quick": ("ok", "unproven", "foreseen")})
        self.assertEqual(rows["quick"]["verify_share"], "0.25")
        self.assertIn("1024 of 4096 elements of 'y' are compared, and which these are could be foreseen", str(self.done))


main()
