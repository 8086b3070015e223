/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mpiortho: one set of MPI collectives whose meaning is decided by the topology that the
 * communicator carries.  This header is the C interface, for C99 and C++.
 *
 * Every function returns an MPI error code, after it has gone through the error handler of the
 * communicator in question (of MPI_COMM_SELF where there is none).  Arguments come in the
 * order of MPI 4.0's, and mean what they mean there, unless said otherwise.
 *
 * (Weights are pointers, not arrays, since MPI_UNWEIGHTED may point nowhere, and compilers warn.)
 *
 * Papers cited below:
 *   [A] J. L. Traff, S. Hunold: Cartesian Collective Communication, ICPP 2019
 *   [B] J. L. Traff, S. Hunold, G. Mercier, D. J. Holmes: MPI collective communication
 *       through a single set of interfaces: A case for orthogonality, Parallel Computing 2021
 *   [C] T. Hoefler, J. L. Traff: Sparse Collective Operations for MPI, HIPS 2009
 */
#ifndef MPIORTHO_H
#define MPIORTHO_H

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A library of another MPI's does not link with, or load into, a program that was compiled with this header:
 * the linker misses a symbol that names the MPI, or its standard ABI. */
#if defined(OPEN_MPI)
#define ORTHO_THIS_MPI mpiortho_is_not_built_with_Open_MPI
#elif defined(MPICH_VERSION)
#define ORTHO_THIS_MPI mpiortho_is_not_built_with_MPICH
#elif defined(MPI_ABI_VERSION)
#define ORTHO_THIS_MPI mpiortho_is_not_built_with_the_standard_ABI
#endif
#if defined(ORTHO_THIS_MPI) && defined(__GNUC__)
void ORTHO_THIS_MPI(void);
static void (*const ortho_this_mpi_)(void) __attribute__((used)) = ORTHO_THIS_MPI;
#endif

/* --- Constants ---------------------------------------------------------------------------- */

/* Orders of a grid's dimensions in ranks: the last coordinate counts first, as in C, or the
 * first one, as in Fortran. */
#define ORTHO_ROWMAJOR MPI_ORDER_C
#define ORTHO_COLMAJOR MPI_ORDER_FORTRAN

/* Metrics of neighborhoods. */
#define ORTHO_MANHATTAN_DISTANCE 1                        /* sum of the coordinates' absolute values */
#define ORTHO_CHEBYSHEV_DISTANCE 2                        /* the largest of them */
#define ORTHO_CHEBYCHEV_DISTANCE ORTHO_CHEBYSHEV_DISTANCE /* as the papers spell it */

/* Topologies: what a communicator carries, and what decides the meaning of collectives. */
#define ORTHO_FULL 1  /* all processes with all: intra-communicators, Cartesian ones too */
#define ORTHO_INTER 2 /* inter-communicators */
#define ORTHO_GRAPH 3 /* distributed graphs, and MPI's older MPI_GRAPH */

/* Error classes, which MPI_Add_error_class makes when one is asked for, or at the first error.  While MPI
 * does not work they have values that no error class has. */
#define ORTHO_ERR_NAME ortho_err_name()           /* the communicator has no Cartesian name */
#define ORTHO_ERR_NEIGHBOR ortho_err_neighbor()   /* the process is no neighbor */
#define ORTHO_ERR_UNDEFINED ortho_err_undefined() /* the operation has no meaning on this topology */
#define ORTHO_ERR_ALGORITHM ortho_err_algorithm() /* unknown algorithm, or one that cannot serve the call */
#define ORTHO_ERR_MISMATCH ortho_err_mismatch()   /* processes gave arguments that do not agree */
int ortho_err_name(void);
int ortho_err_neighbor(void);
int ortho_err_undefined(void);
int ortho_err_algorithm(void);
int ortho_err_mismatch(void);

/* A non-blocking or persistent operation. */
typedef struct ORTHO_Request_s *ORTHO_Request;
#define ORTHO_REQUEST_NULL ((ORTHO_Request)0)

/* The blocks that have come in a sparse exchange. */
typedef struct ORTHO_Sparse_s *ORTHO_Sparse;
#define ORTHO_SPARSE_NULL ((ORTHO_Sparse)0)

/* Which elements of an array other processes have copies of. */
typedef struct ORTHO_Index_map_s *ORTHO_Index_map;
#define ORTHO_INDEX_MAP_NULL ((ORTHO_Index_map)0)

/* Boxes of cells that are joined at their sides. */
typedef struct ORTHO_Mosaic_s *ORTHO_Mosaic;
#define ORTHO_MOSAIC_NULL ((ORTHO_Mosaic)0)

/* --- The library -------------------------------------------------------------------------- */

/* The version of the library that is running.  Any pointer may be null. */
int ORTHO_Get_version(int *major, int *minor, int *patch);

/* The class of an error code: one of MPI's, or one of the above.
 * Errors: MPI_ERR_ARG. */
int ORTHO_Error_class(int errorcode, int *errorclass);

/* The calling thread's last error message: function, argument, what is wrong with its value, and the rank and
 * the communicator where.
 * text: room for maxlen chars, the message and a null char, cut to fit; may be null if maxlen
 * is 0.  *len: the length of the whole message without the null char; len may be null.
 * Errors: MPI_ERR_ARG. */
int ORTHO_Error_message(char text[], int maxlen, int *len);

/* For interfaces in other languages, around each of their calls: how the calling thread's messages name
 * functions, and where they count from.  prefix, which stays there, is put before what follows ORTHO_, in
 * small letters, if it ends in '_' or '.', and else is the name itself; null: as in C.  first_index is added
 * to the numbers of elements, as in sizes(1), and of dimensions. */
int ORTHO_Set_face(const char *prefix, int first_index);

/* --- Naming: processes as points of a grid ([B] 3) ------------------------------------------
 *
 * A name is a d-dimensional grid attached to a communicator: process r is the point with number
 * r.  It is local, changes nothing about communication, and is not inherited by communicators
 * made from this one.  A communicator with an MPI Cartesian topology has a name by itself.
 *
 * Coordinates: d ints a point.  Relative coordinates are added to a point's; in a periodic
 * dimension they wrap around and may be any int, off a border there is no process, and its
 * rank is MPI_PROC_NULL.  The coordinates of a rank beyond the grid are all MPI_PROC_NULL.
 * Lists of n points are n x d ints, point by point.
 *
 * Errors of all of them: MPI_ERR_COMM, MPI_ERR_ARG for null pointers, MPI_ERR_RANK for what is
 * no rank of the communicator, and ORTHO_ERR_NAME if the communicator has no name. */

/* Name the processes: order[d] sizes, period[d] truth values, dimorder ORTHO_ROWMAJOR or
 * ORTHO_COLMAJOR.  *size: the number of points, at most the size of comm; the processes with
 * higher ranks have no name.  Overwrites an older name.  Local.  [B] Listing 3
 *
 * With ORTHO_Cart_name_permuted dimorder[d] are the dimensions in any order: that in which neighboring ranks
 * differ comes last, so 0, 1, ..., d-1 is ORTHO_ROWMAJOR.
 *
 * With ORTHO_Cart_name_map process ranks[i] is at the i-th point in this order, and no process where that is
 * MPI_PROC_NULL, land in an ocean, say.  Such a point is off the grid: halos skip it, and what lies there
 * stays as it is.  Processes 0 to *size - 1 are at one point each.  Graphs that are made on comm are not
 * isomorphic.
 * Errors: MPI_ERR_DIMS for d < 1 or > 4096, a size < 1, more points than processes; MPI_ERR_ARG. */
int ORTHO_Cart_name(MPI_Comm comm, int d, int dimorder, const int order[], const int period[], int *size);
int ORTHO_Cart_name_map(MPI_Comm comm, int d, int dimorder, const int order[], const int period[],
                        const int ranks[], int *size);
int ORTHO_Cart_name_permuted(MPI_Comm comm, int d, const int dimorder[], const int order[],
                             const int period[], int *size);

/* Take the name away, an MPI Cartesian topology's too.  Local. */
int ORTHO_Cart_unname(MPI_Comm comm);

/* Has the communicator a name?  If so, *d and *size are its dimensions and points; else 0. Local. */
int ORTHO_Cart_test(MPI_Comm cart, int *flag, int *d, int *size);

/* Has it the same name on every process?  Collective, the same answer everywhere.  *d and *size
 * are this process's own, as from ORTHO_Cart_test. */
int ORTHO_Cart_testall(MPI_Comm cart, int *flag, int *d, int *size);

/* The name as given: the first min(maxd, d) entries of order and period (0 or 1).  Local. */
int ORTHO_Cart_get(MPI_Comm cart, int *dimorder, int maxd, int order[], int period[]);

/* coordinates[d] -> rank, or MPI_PROC_NULL off the grid.  Local.  [B] Listing 4 */
int ORTHO_Cart_rank(MPI_Comm cart, const int coordinates[], int *rank);

/* rank -> coordinates[d].  Local. */
int ORTHO_Cart_coordinates(MPI_Comm cart, int rank, int coordinates[]);

/* The process relative[d] away from `source`, or MPI_PROC_NULL.  Local. */
int ORTHO_Cart_relative_rank(MPI_Comm cart, int source, const int relative[], int *dest);

/* How `dest` lies from `source`: the difference of their coordinates, in a periodic dimension of
 * size p the representative in (-p/2, p/2].  MPI_PROC_NULL if one has no name.  Local. */
int ORTHO_Cart_relative_coordinates(MPI_Comm cart, int source, int dest, int relative[]);

/* The processes from which `rank` is relative[d] away (*inrank), and that are relative[d] away
 * from `rank` (*outrank); MPI_PROC_NULL off the grid.  Local. */
int ORTHO_Cart_relative_shift(MPI_Comm cart, int rank, const int relative[], int *inrank, int *outrank);

/* coordinates[n x d] -> ranks[n].  Local.  Errors: MPI_ERR_COUNT for n < 0. */
int ORTHO_Cart_allranks(MPI_Comm cart, int n, const int coordinates[], int ranks[]);

/* relatives[n x d], from `source` -> ranks[n].  Local.  Errors: MPI_ERR_COUNT for n < 0. */
int ORTHO_Cart_allranks_relative(MPI_Comm cart, int source, int n, const int relatives[], int ranks[]);

/* The offsets at most `depth` from a point in a metric, itself included, borders ignored, in
 * lexicographic order: their number, and the first maxsize of them (relatives[maxsize x d]).
 * ORTHO_MANHATTAN_DISTANCE is the true L1 ball in any dimension.  Local.
 * Errors: MPI_ERR_ARG for a negative depth or maxsize, an unknown metric, and, of the number, more than
 * INT_MAX offsets. */
int ORTHO_Cart_stencil_count(MPI_Comm cart, int metric, int depth, int *size);
int ORTHO_Cart_stencil(MPI_Comm cart, int metric, int depth, int maxsize, int relatives[]);

/* ORTHO_Cart_stencil_count and ORTHO_Cart_stencil in d dimensions, without a communicator.  Local.
 * Errors: as those; MPI_ERR_DIMS for d < 1 or > 4096. */
int ORTHO_Stencil_count(int d, int metric, int depth, int *size);
int ORTHO_Stencil(int d, int metric, int depth, int maxsize, int offsets[]);

/* relatives0[n0 x d] without relatives1[n1 x d], as multisets, in the order of the former: each
 * row of relatives1 takes away one equal row.  relatives has room for n0 rows, and may be
 * relatives0.  *n: the rows left.  Local.  Errors: MPI_ERR_COUNT for negative n0, n1. */
int ORTHO_Cart_stencil_diff(MPI_Comm cart, int n0, const int relatives0[], int n1, const int relatives1[],
                            int *n, int relatives[]);

/* The offsets x with shadow <= |x| <= depth that stay on the grid as seen from `rank`, in
 * lexicographic order: their number, and the first maxsize of them (neighbors[maxsize x d]).
 * Relative coordinates, not processes: on a small periodic grid two of them may name one
 * process.  None for a rank without a name.  Local.  [B] Listing 6
 * Errors: MPI_ERR_ARG as for ORTHO_Cart_stencil. */
int ORTHO_Cart_neighbors_count(MPI_Comm cart, int rank, int metric, int shadow, int depth, int *size);
int ORTHO_Cart_neighbors(MPI_Comm cart, int rank, int metric, int shadow, int depth, int maxsize,
                         int neighbors[]);

/* Name the processes of `part`, an intra-communicator of processes of cart, with the grid that they make of
 * cart's in their order: rows, planes, blocks, every second point (see ORTHO_Comm_split, which finds the same
 * grid, and names nothing).  It has as many dimensions, in the same order; a dimension of which only one
 * coordinate is left has size 1, and a dimension is periodic if it was, and leads around still.  cart's grid
 * is that of its graph, if that is isomorphic, else its name.  *size: the number of points; 0 if they make no
 * grid, and then the name of part, should it have one, stays.  Local.
 * Errors: as above, and MPI_ERR_COMM for processes that are not in cart. */
int ORTHO_Cart_name_part(MPI_Comm cart, MPI_Comm part, int *size);

/* Split into the processes that agree in every dimension k with excluded[k] true, in their old
 * order; unnamed, ORTHO_FULL.  MPI_COMM_NULL for processes outside the grid.  Collective; wrong on one
 * process is an error on all.
 * Errors: as above; ORTHO_ERR_MISMATCH if the name is not the same everywhere.  [B] Listing 5 */
int ORTHO_Cart_create_sub(MPI_Comm cart, const int excluded[], MPI_Comm *subcart);

/* --- Topology: what a communicator carries ([B] 2) ------------------------------------------ */

/* ORTHO_FULL, ORTHO_INTER or ORTHO_GRAPH.  Local.  Errors: MPI_ERR_COMM, MPI_ERR_ARG. */
int ORTHO_Topo_test(MPI_Comm comm, int *topology);

/* A full communicator of the same processes in the same order; of an inter-communicator, of the
 * local group.  Collective, over both groups of an inter-communicator.  [B] Listing 1
 * Errors: MPI_ERR_COMM, MPI_ERR_ARG. */
int ORTHO_Comm_base(MPI_Comm comm, MPI_Comm *basecomm);

/* MPI_Comm_dup.  A duplicate keeps graph, gaps and isomorphism, but not the name, unless that is an MPI
 * Cartesian topology.  (One made by MPI_Comm_dup does so too; this one is ready for use at once.)
 * Collective.
 * Errors: MPI_ERR_COMM, MPI_ERR_ARG. */
int ORTHO_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm);

/* MPI_Comm_split, MPI_Comm_split_type, MPI_Comm_create and MPI_Comm_create_group.  On full communicators,
 * Cartesian ones too, and inter-communicators they do what MPI's do, and the result is full or an
 * inter-communicator.
 *
 * On a communicator that carries a graph they make the induced subgraph: an edge for every edge between two
 * processes of the new communicator, in the order of the lists, as often as there, and with its weight.
 * Edges to and from other processes go away with their slots; a gap (MPI_PROC_NULL) stays, since it is a slot
 * and no edge.
 *
 * Names are not inherited; ORTHO_Cart_name_part gives a part of a grid its name.  But where the graph is
 * isomorphic, or else has a name, on a grid of which the new communicator's processes, in their order, make
 * a grid themselves (rows, planes, blocks, every second point), it is asked whether the subgraph is
 * isomorphic on that: of as many dimensions, in the same order; a dimension of which only one coordinate is
 * left keeps size 1, and a dimension is periodic if it was, and leads around still.  Algorithms that info or
 * environment named when the graph was made are named for the subgraph, too.  The promises
 * ortho_assert_uniform, ortho_forward, ortho_sizes and ortho_independent do not hold for it.
 *
 * newcomm is MPI_COMM_NULL for color or type MPI_UNDEFINED, and for processes that are in no group.
 * Collective over comm, where an argument that is wrong on one process is an error on all but on
 * inter-communicators; ORTHO_Comm_create_group over the processes of the group alone, and not on
 * inter-communicators.
 * Errors: MPI_ERR_COMM, MPI_ERR_ARG (newcomm; negative color), MPI_ERR_GROUP (none; processes that are not in
 * comm), MPI_ERR_TAG; what MPI finds; ORTHO_ERR_ALGORITHM as in the first collective call on a graph of MPI's
 * making.  [B] 2.4 */
int ORTHO_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm);
int ORTHO_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *newcomm);
int ORTHO_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm);
int ORTHO_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm);

/* The subgraph of `graph` that the processes of `sub` induce, as above, in the order of sub.  sub: a full
 * communicator, all processes of which are in graph.  If sub has a name, isomorphism is looked for on that.
 * Collective over sub; an argument that is wrong on one process is an error on all, through the handler of
 * sub, which subgraph gets.
 * Errors: MPI_ERR_COMM (also for processes that are not in graph), MPI_ERR_TOPOLOGY (graph carries none; sub
 * carries one), MPI_ERR_ARG, ORTHO_ERR_ALGORITHM. */
int ORTHO_Comm_subgraph(MPI_Comm graph, MPI_Comm sub, MPI_Comm *subgraph);

/* MPI_Dist_graph_create_adjacent.  It looks at the name of comm_old, and finds out whether the
 * neighborhoods are isomorphic: one stencil, cut off at the grid's borders.  List order is free.  For offsets
 * N, pass r+N[i] as destinations and r-N[i] as sources, in the same order.
 *
 * MPI_PROC_NULL in a list is a gap: its slot exists in the buffers, and is neither sent nor
 * touched; its weight is not looked at.
 *
 * reorder, if all processes say so: ranks are given to processes such that few edges, or if they have weights
 * little weight, leave their nodes, and never more than in the order of comm_old (mpiortho(7), Placement).
 * New rank i has the edges that rank i of comm_old has given, and, if the neighborhoods are isomorphic, the
 * grid's point i; its process may be another one.
 *
 * info: ortho_algorithm (a list of algorithms, see mpiortho(7)), ortho_assert_uniform ("true":
 * in v and w calls all processes pass the same count and type signature for the same neighbor),
 * ortho_forward ("true": see Progress, below), ortho_sizes ("weights": they are about the bytes of blocks),
 * ortho_independent ("true": processes that no path of edges connects make calls independently).
 * Collective; an argument that is wrong on one process is an error on all.
 * Errors: MPI_ERR_COMM, MPI_ERR_ARG (null lists, negative degrees or weights), MPI_ERR_RANK,
 * MPI_ERR_INFO_VALUE (neither true nor false), ORTHO_ERR_MISMATCH (weights on some processes only),
 * ORTHO_ERR_ALGORITHM (unknown name in info or ORTHO_ALGORITHM).  [A] 2.2, [B] 3.2 */
int ORTHO_Dist_graph_create_adjacent(MPI_Comm comm_old, int indegree, const int sources[],
                                     const int *sourceweights, int outdegree, const int destinations[],
                                     const int *destweights, MPI_Info info, int reorder,
                                     MPI_Comm *comm_dist_graph);

/* MPI_Dist_graph_create; as above, but MPI_PROC_NULL is MPI_ERR_RANK.  The lists' order is what
 * ORTHO_Dist_graph_neighbors says. */
int ORTHO_Dist_graph_create(MPI_Comm comm_old, int n, const int sources[], const int degrees[],
                            const int destinations[], const int *weights, MPI_Info info, int reorder,
                            MPI_Comm *comm_dist_graph);

/* The lists that the collectives use, gaps included, of any communicator that carries a graph.
 * At most maxindegree and maxoutdegree entries are written; weights are written if the graph
 * has any.  Local.  Errors: MPI_ERR_TOPOLOGY, MPI_ERR_ARG. */
int ORTHO_Dist_graph_neighbors_count(MPI_Comm comm, int *indegree, int *outdegree, int *weighted);
int ORTHO_Dist_graph_neighbors(MPI_Comm comm, int maxindegree, int sources[], int *sourceweights,
                               int maxoutdegree, int destinations[], int *destweights);

/* How often `rank` is among the in-neighbors and the out-neighbors, and the first maxn slots of each where it
 * is.  The arrays may be null if maxn is 0.  Local.
 * Errors: MPI_ERR_TOPOLOGY, MPI_ERR_RANK, MPI_ERR_ARG. */
int ORTHO_Dist_graph_find(MPI_Comm graph, int rank, int maxn, int inneighbors[], int *nin, int outneighbors[],
                          int *nout);

/* Is the graph one stencil on a named grid?  *t: the number of its offsets, equal ones counted
 * apart, offsets that leave the grid from everywhere not counted; 0 if not.
 * Local on graphs of ORTHO's making and their duplicates.  For any other graph the first call
 * is collective, looks for a name on the graph itself, and decides for good.
 * Errors: MPI_ERR_TOPOLOGY, MPI_ERR_ARG. */
int ORTHO_Comm_isomorphic(MPI_Comm graph, int *flag, int *t);

/* A grid and a stencil in one call: targetrelative[t x d] offsets, the same on all processes.
 * Process r sends block i to r + offset i and receives block i from r - offset i, in slot i; slots
 * whose process is off the grid are gaps.  weight[t] or MPI_UNWEIGHTED.  cartcomm carries the
 * graph and is named with the grid, row-major; processes outside the grid get MPI_COMM_NULL.
 * info, reorder as above: only the first processes, as many as the grid has points, take part.  Collective.
 * [A] Listing 1
 * Errors: MPI_ERR_DIMS, MPI_ERR_ARG, MPI_ERR_COMM, ORTHO_ERR_MISMATCH if processes differ in grid
 * or stencil, ORTHO_ERR_ALGORITHM. */
int ORTHO_Cart_neighborhood_create(MPI_Comm comm, int d, const int dims[], const int periods[], int t,
                                   const int targetrelative[], const int *weight, MPI_Info info, int reorder,
                                   MPI_Comm *cartcomm);

/* MPI_Cart_create that knows the nodes: with reorder, ranks are given to processes such that few steps of one
 * in any dimension lead to another node, and never more than in the order of comm.  cart carries MPI's
 * Cartesian topology, so that MPI_Cart_shift and the others work, and is named with it; processes outside the
 * grid get MPI_COMM_NULL.  Node: what MPI_COMM_TYPE_SHARED says, or ORTHO_NODES; nodes may have different
 * numbers of processes.  Inside a node, processes that are bound to a NUMA domain or socket are kept together
 * (if built with hwloc).  Collective; all arguments but cart the same on all processes; not reordered unless
 * all say so.  [G] 2.1
 * Errors: MPI_ERR_COMM, MPI_ERR_DIMS, MPI_ERR_ARG, MPI_ERR_INFO_VALUE (ORTHO_NODES), ORTHO_ERR_MISMATCH. */
int ORTHO_Nodecart_create(MPI_Comm comm, int d, const int dims[], const int periods[], int reorder,
                          MPI_Comm *cart);

/* MPI_Dims_create for the processes of comm that knows their nodes: sets those of dims[d] that are 0 such
 * that the product is the number of processes, the set ones in decreasing order.  On one node as close to
 * each other as can be; on several such that processes exchange least when a cube is divided that way and
 * placed by ORTHO_Nodecart_create, where data within a node counts a quarter.  Collective; the same arguments
 * on all processes.  [G] 2.1
 * Errors: MPI_ERR_COMM, MPI_ERR_DIMS (negative sizes, or such that do not divide), MPI_ERR_ARG,
 * ORTHO_ERR_MISMATCH. */
int ORTHO_Dims_create(MPI_Comm comm, int d, int dims[]);

/* Its t, and its neighbors: the first maxin sources and maxout targets, MPI_PROC_NULL for gaps;
 * weights are written if there are any.  Local.  [A] Listing 2
 * Errors: MPI_ERR_TOPOLOGY for any other communicator, MPI_ERR_ARG. */
int ORTHO_Cart_neighborhood_count(MPI_Comm cartcomm, int *t);
int ORTHO_Cart_neighborhood_get(MPI_Comm cartcomm, int maxin, int source[], int *sourceweight, int maxout,
                                int target[], int *targetweight);

/* The first maxn offsets that it was made with (offsets[maxn x d]), in the order given.  Local.
 * Errors: MPI_ERR_TOPOLOGY for any other communicator, MPI_ERR_ARG. */
int ORTHO_Cart_neighborhood_offsets(MPI_Comm graph, int maxn, int offsets[]);

/* The slots of an offset: of the block from the process that has this one offset[d] away, and of the block to
 * the process offset[d] away; -1 if there is no such offset, as given or around the periodic dimensions.  The
 * first of several; it may be a gap.  Local.
 * Errors: MPI_ERR_TOPOLOGY for any other communicator, MPI_ERR_ARG. */
int ORTHO_Cart_neighborhood_find(MPI_Comm graph, const int offset[], int *inneighbor, int *outneighbor);

/* --- Collectives: one set, the communicator's topology decides ([B] 2, [C] II) ---------------
 *
 * On ORTHO_FULL and ORTHO_INTER: MPI's call of the same name, MPI_IN_PLACE included.
 *
 * On ORTHO_GRAPH: over the edges of the graph, in the order of the communicator's lists,
 * multi-edges counted; block i of a buffer belongs to edge i.  The k-th edge u -> v in u's list
 * pairs with the k-th u in v's list.  Slots of gaps are not touched.  Counts and type signatures
 * must agree along an edge.  MPI_IN_PLACE is an error, but for Reduce (at the root) and
 * Allreduce, where the contribution is read from recvbuf.
 *
 * Each has three forms.  ORTHO_X is blocking.  ORTHO_Ix starts the operation and returns a request.
 * ORTHO_X_init makes a request that ORTHO_Start starts again and again; it is collective and may wait for the
 * other processes.  Arrays of counts, displacements and datatypes, and the datatypes themselves, may be freed
 * as soon as the latter two return; buffers and operators must live until the operation is over.  Operations
 * may overlap, and complete in any order.  At most some 65 000 blocking and non-blocking ones may be under
 * way on one graph, or half as many as MPI has tags, if these are few; one more waits for the oldest.  The
 * communicator may be freed meanwhile, or before a persistent operation is started.  Persistent operations
 * may be started in any order, and in another one on each process.
 *
 * Progress: operations that are under way advance inside the library only: in every call below that waits or
 * tests, in every blocking collective on a graph, in ORTHO_Progress.  MPI does meanwhile as much as it can
 * by itself; so operations of one phase of messages end without further calls at other processes.
 * Operations that forward blocks need calls at other processes.  So they are chosen for blocking forms and
 * ORTHO_Run.  For what is started, by non-blocking forms and ORTHO_Start, they are chosen in three cases.
 * All processes promise by info ortho_forward ("true", on the creating call or on ORTHO_X_init) that between
 * start and end they block in ORTHO's calls only, those on full and inter-communicators excepted, or come by
 * often.  The user names the algorithm.  All processes have a thread that drives operations
 * (ORTHO_PROGRESS=thread).
 *
 * Threads: different threads may use different communicators at once (MPI_THREAD_MULTIPLE).  Any
 * thread inside the library may drive any operation, and so call a user's operator.
 *
 * Errors of all of them: MPI_ERR_COMM; on graphs MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_BUFFER,
 * MPI_ERR_ARG (null arrays), MPI_ERR_ROOT, MPI_ERR_OP, MPI_ERR_TRUNCATE (more data than room),
 * ORTHO_ERR_ALGORITHM (the call is bound to an algorithm that cannot serve it); of ORTHO_X_init also
 * MPI_ERR_INFO_VALUE, MPI_ERR_OTHER (too many persistent operations). */

/* Graph: is over once all in-neighbors have entered. */
int ORTHO_Barrier(MPI_Comm comm);
int ORTHO_Ibarrier(MPI_Comm comm, ORTHO_Request *request);
int ORTHO_Barrier_init(MPI_Comm comm, MPI_Info info, ORTHO_Request *request);

/* Graph: the root's buffer to the root's out-neighbors; nobody else's buffer is touched. */
int ORTHO_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm);
int ORTHO_Ibcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
                 ORTHO_Request *request);
int ORTHO_Bcast_init(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Info info,
                     ORTHO_Request *request);

/* Graph: at the root one block per in-edge of the root, in their order (v: recvcounts[indegree],
 * displs[indegree] in elements). */
int ORTHO_Gather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                 MPI_Datatype recvtype, int root, MPI_Comm comm);
int ORTHO_Igather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                  MPI_Datatype recvtype, int root, MPI_Comm comm, ORTHO_Request *request);
int ORTHO_Gather_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                      MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, ORTHO_Request *request);
int ORTHO_Gatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                  const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm);
int ORTHO_Igatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                   const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm,
                   ORTHO_Request *request);
int ORTHO_Gatherv_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                       const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                       MPI_Comm comm, MPI_Info info, ORTHO_Request *request);

/* Graph: the root's block i along its out-edge i (v: sendcounts[outdegree], displs[outdegree] in elements).
 * If several edges lead to one process, the last one's block stays. */
int ORTHO_Scatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                  MPI_Datatype recvtype, int root, MPI_Comm comm);
int ORTHO_Iscatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                   MPI_Datatype recvtype, int root, MPI_Comm comm, ORTHO_Request *request);
int ORTHO_Scatter_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                       int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
                       ORTHO_Request *request);
int ORTHO_Scatterv(const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
                   void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
int ORTHO_Iscatterv(const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
                    void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                    ORTHO_Request *request);
int ORTHO_Scatterv_init(const void *sendbuf, const int sendcounts[], const int displs[],
                        MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                        MPI_Comm comm, MPI_Info info, ORTHO_Request *request);

/* Graph: the same block to every out-neighbor, one block received per in-edge (v, w:
 * recvcounts[indegree], displacements in elements, or for w in bytes). On any topology w takes a
 * datatype per block. */
int ORTHO_Allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                    MPI_Datatype recvtype, MPI_Comm comm);
int ORTHO_Iallgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                     MPI_Datatype recvtype, MPI_Comm comm, ORTHO_Request *request);
int ORTHO_Allgather_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                         int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                         ORTHO_Request *request);
int ORTHO_Allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                     const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm);
int ORTHO_Iallgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                      const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                      ORTHO_Request *request);
int ORTHO_Allgatherv_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                          const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                          MPI_Info info, ORTHO_Request *request);
int ORTHO_Allgatherw(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                     const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                     MPI_Comm comm);
int ORTHO_Iallgatherw(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                      const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                      MPI_Comm comm, ORTHO_Request *request);
int ORTHO_Allgatherw_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                          const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                          MPI_Comm comm, MPI_Info info, ORTHO_Request *request);

/* Graph: block i along out-edge i, one block received per in-edge (v, w: counts[degree],
 * displacements in elements, or for w in bytes, on any topology). */
int ORTHO_Alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                   MPI_Datatype recvtype, MPI_Comm comm);
int ORTHO_Ialltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                    MPI_Datatype recvtype, MPI_Comm comm, ORTHO_Request *request);
int ORTHO_Alltoall_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                        int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                        ORTHO_Request *request);
int ORTHO_Alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                    void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                    MPI_Comm comm);
int ORTHO_Ialltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                     void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                     MPI_Comm comm, ORTHO_Request *request);
int ORTHO_Alltoallv_init(const void *sendbuf, const int sendcounts[], const int sdispls[],
                         MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[],
                         MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, ORTHO_Request *request);
int ORTHO_Alltoallw(const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                    const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
                    const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm);
int ORTHO_Ialltoallw(const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                     const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
                     const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                     ORTHO_Request *request);
int ORTHO_Alltoallw_init(const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                         const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
                         const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                         MPI_Info info, ORTHO_Request *request);

/* Graph: the reduction over the root's in-edges, at the root; operators that do not commute are
 * applied in in-edge order.  Without in-edges the root's recvbuf is not touched. */
int ORTHO_Reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
                 MPI_Comm comm);
int ORTHO_Ireduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
                  MPI_Comm comm, ORTHO_Request *request);
int ORTHO_Reduce_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                      int root, MPI_Comm comm, MPI_Info info, ORTHO_Request *request);

/* Graph: at each process the reduction over its own in-edges, as above. */
int ORTHO_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                    MPI_Comm comm);
int ORTHO_Iallreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                     MPI_Comm comm, ORTHO_Request *request);
int ORTHO_Allreduce_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                         MPI_Comm comm, MPI_Info info, ORTHO_Request *request);

/* Graph: block i (of recvcount elements) along out-edge i; each process reduces what arrives, as
 * above. */
int ORTHO_Reduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype,
                               MPI_Op op, MPI_Comm comm);
int ORTHO_Ireduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype,
                                MPI_Op op, MPI_Comm comm, ORTHO_Request *request);
int ORTHO_Reduce_scatter_block_init(const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype,
                                    MPI_Op op, MPI_Comm comm, MPI_Info info, ORTHO_Request *request);

/* Graph: ORTHO_ERR_UNDEFINED. */
int ORTHO_Reduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype datatype,
                         MPI_Op op, MPI_Comm comm);
int ORTHO_Ireduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype datatype,
                          MPI_Op op, MPI_Comm comm, ORTHO_Request *request);
int ORTHO_Reduce_scatter_init(const void *sendbuf, void *recvbuf, const int recvcounts[],
                              MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                              ORTHO_Request *request);

/* Graph: block i, of sendcounts[i] elements at senddispls[i] (in elements), along out-edge i;
 * each process reduces what arrives, as above.  Each block has the recvcount of its receiver.
 * Full, inter: the same on the complete graph, in rank order; MPI_IN_PLACE is an error.
 * [C] Listing 4, neighbor_reducev */
int ORTHO_Reduce_scatterv(const void *sendbuf, const int sendcounts[], const int senddispls[], void *recvbuf,
                          int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
int ORTHO_Ireduce_scatterv(const void *sendbuf, const int sendcounts[], const int senddispls[], void *recvbuf,
                           int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                           ORTHO_Request *request);
int ORTHO_Reduce_scatterv_init(const void *sendbuf, const int sendcounts[], const int senddispls[],
                               void *recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                               MPI_Info info, ORTHO_Request *request);

/* Graph, inter: ORTHO_ERR_UNDEFINED. */
int ORTHO_Scan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
               MPI_Comm comm);
int ORTHO_Iscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                MPI_Comm comm, ORTHO_Request *request);
int ORTHO_Scan_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                    MPI_Comm comm, MPI_Info info, ORTHO_Request *request);
int ORTHO_Exscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                 MPI_Comm comm);
int ORTHO_Iexscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                  MPI_Comm comm, ORTHO_Request *request);
int ORTHO_Exscan_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                      MPI_Comm comm, MPI_Info info, ORTHO_Request *request);

/* --- Large counts ---------------------------------------------------------------------------
 *
 * The collectives above with counts of type MPI_Count and displacements of type MPI_Aint, named as in MPI 4:
 * a block may have more elements, and lie farther away, than an int can say.  Meaning, errors and all else
 * are those of the function without _c.  ORTHO_Barrier has no counts, and no such form.
 *
 * They work with every MPI.  Where MPI has no such functions itself, datatypes stand for what its ints cannot
 * hold on full and inter-communicators; Gatherv, Scatterv, Allgatherv and Alltoallv are an MPI_Alltoallw
 * then.  All processes make a call in one form, with _c or without.
 *
 * Errors besides: MPI_ERR_COUNT where an MPI without such functions is to Reduce_scatter more elements than
 * an int can count on an inter-communicator. */

int ORTHO_Bcast_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm);
int ORTHO_Ibcast_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm,
                   ORTHO_Request *request);
int ORTHO_Bcast_init_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm,
                       MPI_Info info, ORTHO_Request *request);

int ORTHO_Gather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                   MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
int ORTHO_Igather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                    MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                    ORTHO_Request *request);
int ORTHO_Gather_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                        MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
                        ORTHO_Request *request);

int ORTHO_Gatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                    const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root,
                    MPI_Comm comm);
int ORTHO_Igatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                     const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root,
                     MPI_Comm comm, ORTHO_Request *request);
int ORTHO_Gatherv_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                         const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                         int root, MPI_Comm comm, MPI_Info info, ORTHO_Request *request);

int ORTHO_Scatter_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                    MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
int ORTHO_Iscatter_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                     MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                     ORTHO_Request *request);
int ORTHO_Scatter_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                         MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
                         ORTHO_Request *request);

int ORTHO_Scatterv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
                     MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                     int root, MPI_Comm comm);
int ORTHO_Iscatterv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
                      MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                      int root, MPI_Comm comm, ORTHO_Request *request);
int ORTHO_Scatterv_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
                          MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                          int root, MPI_Comm comm, MPI_Info info, ORTHO_Request *request);

int ORTHO_Allgather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                      MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm);
int ORTHO_Iallgather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                       MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, ORTHO_Request *request);
int ORTHO_Allgather_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                           MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                           ORTHO_Request *request);

int ORTHO_Allgatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                       const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                       MPI_Comm comm);
int ORTHO_Iallgatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                        const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                        MPI_Comm comm, ORTHO_Request *request);
int ORTHO_Allgatherv_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                            const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                            MPI_Comm comm, MPI_Info info, ORTHO_Request *request);

int ORTHO_Allgatherw_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                       const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                       MPI_Comm comm);
int ORTHO_Iallgatherw_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                        const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                        const MPI_Datatype recvtypes[], MPI_Comm comm, ORTHO_Request *request);
int ORTHO_Allgatherw_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                            const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                            const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
                            ORTHO_Request *request);

int ORTHO_Alltoall_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                     MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm);
int ORTHO_Ialltoall_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                      MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, ORTHO_Request *request);
int ORTHO_Alltoall_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                          MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                          ORTHO_Request *request);

int ORTHO_Alltoallv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                      MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[],
                      const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm);
int ORTHO_Ialltoallv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                       MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[],
                       const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                       ORTHO_Request *request);
int ORTHO_Alltoallv_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                           MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[],
                           const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                           ORTHO_Request *request);

int ORTHO_Alltoallw_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                      const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[],
                      const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm);
int ORTHO_Ialltoallw_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                       const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[],
                       const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                       ORTHO_Request *request);
int ORTHO_Alltoallw_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                           const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[],
                           const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                           MPI_Info info, ORTHO_Request *request);

int ORTHO_Reduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                   int root, MPI_Comm comm);
int ORTHO_Ireduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                    int root, MPI_Comm comm, ORTHO_Request *request);
int ORTHO_Reduce_init_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                        int root, MPI_Comm comm, MPI_Info info, ORTHO_Request *request);

int ORTHO_Allreduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                      MPI_Comm comm);
int ORTHO_Iallreduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                       MPI_Comm comm, ORTHO_Request *request);
int ORTHO_Allreduce_init_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
                           MPI_Op op, MPI_Comm comm, MPI_Info info, ORTHO_Request *request);

int ORTHO_Reduce_scatter_block_c(const void *sendbuf, void *recvbuf, MPI_Count recvcount,
                                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
int ORTHO_Ireduce_scatter_block_c(const void *sendbuf, void *recvbuf, MPI_Count recvcount,
                                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, ORTHO_Request *request);
int ORTHO_Reduce_scatter_block_init_c(const void *sendbuf, void *recvbuf, MPI_Count recvcount,
                                      MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                                      ORTHO_Request *request);

int ORTHO_Reduce_scatter_c(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[],
                           MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
int ORTHO_Ireduce_scatter_c(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[],
                            MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, ORTHO_Request *request);
int ORTHO_Reduce_scatter_init_c(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[],
                                MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                                ORTHO_Request *request);

int ORTHO_Reduce_scatterv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint senddispls[],
                            void *recvbuf, MPI_Count recvcount, MPI_Datatype datatype, MPI_Op op,
                            MPI_Comm comm);
int ORTHO_Ireduce_scatterv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint senddispls[],
                             void *recvbuf, MPI_Count recvcount, MPI_Datatype datatype, MPI_Op op,
                             MPI_Comm comm, ORTHO_Request *request);
int ORTHO_Reduce_scatterv_init_c(const void *sendbuf, const MPI_Count sendcounts[],
                                 const MPI_Aint senddispls[], void *recvbuf, MPI_Count recvcount,
                                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                                 ORTHO_Request *request);

int ORTHO_Scan_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                 MPI_Comm comm);
int ORTHO_Iscan_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                  MPI_Comm comm, ORTHO_Request *request);
int ORTHO_Scan_init_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                      MPI_Comm comm, MPI_Info info, ORTHO_Request *request);

int ORTHO_Exscan_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                   MPI_Comm comm);
int ORTHO_Iexscan_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                    MPI_Comm comm, ORTHO_Request *request);
int ORTHO_Exscan_init_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                        MPI_Comm comm, MPI_Info info, ORTHO_Request *request);

/* --- Ghost layers --------------------------------------------------------------------------------
 *
 * An ORTHO_Field describes the part of an array that a process of a grid has, with ghost layers around what
 * it owns.  Set one to ORTHO_FIELD_INIT, then what differs from that.  The dimensions of the array need not
 * come in the order of the grid's: `dimension` says which is which.  Nor need the array lie in memory as the
 * grid numbers its processes: `order` says how it lies, or `strides` does.
 *
 * An array may have more dimensions than the grid, `ndims` in place of d: u[k][j][i] on a grid of two, say.
 * `dimension` is ORTHO_UNDIVIDED for those that are not divided among processes; lower and upper are 0 there.
 * Where it is null, the first d dimensions are those of the grid, and the others are not divided. */

/* In ORTHO_Field.ndirections: all ghost regions that the stencil can fill. */
#define ORTHO_ALL_DIRECTIONS (-1)
/* In ORTHO_Field.dimension: not divided among processes. */
#define ORTHO_UNDIVIDED (-1)

/* In ORTHO_Boundary.kind: the values of ghosts beyond a closed side.  The names are those of numpy.pad.  For
 * a row a b c d with three ghosts above it: */
#define ORTHO_BOUNDARY_NONE 0      /* they are not touched */
#define ORTHO_BOUNDARY_CONSTANT 1  /* v v v */
#define ORTHO_BOUNDARY_EDGE 2      /* d d d */
#define ORTHO_BOUNDARY_SYMMETRIC 3 /* d c b */
#define ORTHO_BOUNDARY_REFLECT 4   /* c b a */

typedef struct {
    int kind; /* ORTHO_BOUNDARY_... */
    int sign; /* -1: values other than constants change their sign, as velocities through a wall do; 1, 0 */
    const void *value; /* of a constant: one element, in memory of the host; NULL: all its bytes are 0 */
} ORTHO_Boundary;

typedef struct {
    void *base;              /* the array's first element, a ghost where there are any */
    MPI_Datatype element;    /* of each element; may be a derived one */
    const MPI_Count *sizes;  /* ndims: elements in each dimension of the array, ghosts included */
    const MPI_Count *lower;  /* ndims: ghost layers before the owned elements, at the grid's borders too */
    const MPI_Count *upper;  /* ndims: ghost layers behind them */
    const MPI_Aint *strides; /* ndims: bytes from one element to the next in each dimension; NULL: packed */
    const int *dimension; /* ndims: array dimension k runs along grid dimension dimension[k]; NULL: along k */
    int order;            /* of what is packed: MPI_ORDER_C or MPI_ORDER_FORTRAN, whatever the grid's */
    int ndirections;      /* ghost regions to fill; ORTHO_ALL_DIRECTIONS: those of the stencil */
    const int *directions; /* ndirections x d of -1, 0, 1 in dimensions of the GRID: where the region lies */
    int ndims;             /* dimensions of the array; 0: d */
    const ORTHO_Boundary *boundary; /* ndims x 2: of the closed side below, and above; NULL: none */
    void *reserved[2];              /* NULL */
} ORTHO_Field;

/* A packed array as in C, all directions. */
#define ORTHO_FIELD_INIT                                                                                     \
    {                                                                                                        \
        NULL, MPI_DATATYPE_NULL, NULL, NULL, NULL, NULL, NULL, MPI_ORDER_C, ORTHO_ALL_DIRECTIONS, NULL, 0,   \
            NULL,                                                                                            \
        {                                                                                                    \
            NULL, NULL                                                                                       \
        }                                                                                                    \
    }

/* ORTHO_Halo_fields_init makes a persistent operation that fills ghost layers of `nfields` fields.  Their
 * shapes, depths, directions and orders may differ from field to field.
 *
 * comm carries a graph, or else has a Cartesian name, of d dimensions.  A graph is isomorphic
 * (ORTHO_Comm_isomorphic), with offsets N in {-1,0,1}^d.  They count as ORTHO_Cart_neighborhood_create got
 * them, so that the number of processes has no influence.  Where the graph was made of ranks, N is known
 * modulo the sizes of periodic dimensions: on a ring of 2 processes +1 is -1, too.
 *
 * On a communicator without a graph that has a name, MPI's Cartesian topology or one of ORTHO_Cart_name, N
 * are all 3^d - 1 directions, or those along the axes with info ortho_regions "faces"; the name is the same
 * on all processes, and those that are not on its grid call, too, and exchange nothing.
 *
 * Ghost region s, for s in {-1,0,1}^d other than 0, lies below the owned elements where s is -1, above them
 * where it is +1.  On process r it is filled iff it is one of the field's directions, -s is in N and r+s is
 * on the grid, with what r+s owns next to the face between the two.  No other element is touched, but for
 * ghosts beyond closed sides, those at the border of the grid in dimensions that are not periodic.  Where
 * `boundary` says so, each gets the value that numpy.pad would give it, after all has come: numpy.pad of the
 * whole array of all processes, for one dimension of the array after the other.  So corners that lie beyond
 * two closed sides have what both say, a constant of the later dimension first, and those that lie beyond a
 * closed side and a neighbor have what its ghosts lead to.  A ghost that lies beyond a side of kind
 * ORTHO_BOUNDARY_NONE, too, is not touched.  Dimensions that are not divided have no closed sides.  Mirrors
 * lead to what the process itself owns: ORTHO_BOUNDARY_SYMMETRIC needs as many owned layers as there are
 * ghosts, ORTHO_BOUNDARY_REFLECT one more, else it is MPI_ERR_ARG.  A sign of -1 is for elements of one
 * integer with a sign, real or complex number, or of several in a row, else it is MPI_ERR_TYPE.  All
 * processes have the same kinds and signs; values may differ.  Adjoints have no boundary: MPI_ERR_ARG.
 *
 * nfields is the same on all processes, and for each field the size of an element, depths, directions,
 * `dimension` and `order` are.  Owned sizes may differ, but agree across faces: where s is 0, r and r+s own
 * the same number of layers.  No process owns fewer layers than a neighbor has of them as ghosts.  All this
 * is checked.  A direction whose region the stencil does not fill is MPI_ERR_ARG.  Fields that share memory
 * are MPI_ERR_BUFFER; those of elements with holes are not looked at.
 *
 * All fields travel in one message a partner.  By ORTHO_Run edges and corners travel with the faces, 2d
 * messages in all for N = {-1,0,1}^d, every element sent once, if that is faster.  By ORTHO_Start each region
 * comes from its owner, unless all processes promise to come by (info ortho_forward "true", see Progress,
 * above).  info ortho_algorithm, too: halo_combining, halo_direct, halo_node_pairs.
 *
 * ORTHO_Halo_reduce_fields_init is the reverse, the adjoint: the ghost regions that ORTHO_Halo_fields_init
 * would fill are sent to where they would be filled from, and reduced there into the owned elements by a
 * commutative operator, in an order that is always the same.  Ghost elements are not changed.
 * Algorithms: halo_reduce_combining, halo_reduce_direct.  [A] 3.4, [C] II-D
 *
 * ORTHO_Halo_init and ORTHO_Halo_reduce_init are for fields of one shape: fields[f] is field f's base, and
 * elements[f] its element; sizes, lower and upper are those of all; dimensions come in the order of the
 * grid's.  Info ortho_order "C" or "Fortran" says how the arrays are packed; without it they are packed as the
 * grid's ranks are numbered, row-major (C) or column-major (Fortran), which is no matter of the arrays.
 *
 * All are collective and may wait for other processes.  Arrays of arguments and datatypes may be freed when
 * they return; the fields, and the operator, must live as long as the request is used.
 *
 * ORTHO_Parrived is true when the whole operation is over.
 *
 * Errors: MPI_ERR_COMM; MPI_ERR_TOPOLOGY where comm has neither graph nor name, or its graph is not
 * isomorphic; MPI_ERR_DIMS for another d; MPI_ERR_ARG for longer offsets, negative numbers, null pointers,
 * sizes without room for the ghosts, owned sizes below a neighbor's depth, a `dimension` that is no
 * permutation, what is no order, no direction or not reserved; ORTHO_ERR_MISMATCH for what should agree;
 * MPI_ERR_TYPE, MPI_ERR_OP, MPI_ERR_BUFFER, MPI_ERR_INFO_VALUE, MPI_ERR_OTHER, ORTHO_ERR_ALGORITHM.  All
 * processes fail together; the message says on which rank what is wrong with which field. */
int ORTHO_Halo_fields_init(int nfields, const ORTHO_Field fields[], int d, MPI_Comm comm, MPI_Info info,
                           ORTHO_Request *request);
int ORTHO_Halo_reduce_fields_init(int nfields, const ORTHO_Field fields[], int d, MPI_Op op, MPI_Comm comm,
                                  MPI_Info info, ORTHO_Request *request);
int ORTHO_Halo_init(int nfields, void *const fields[], const MPI_Datatype elements[], int d,
                    const int sizes[], const int lower[], const int upper[], MPI_Comm graph, MPI_Info info,
                    ORTHO_Request *request);
int ORTHO_Halo_reduce_init(int nfields, void *const fields[], const MPI_Datatype elements[], int d,
                           const int sizes[], const int lower[], const int upper[], MPI_Op op, MPI_Comm graph,
                           MPI_Info info, ORTHO_Request *request);

/* The ghost regions of field number `field` that nothing fills, since they lie beyond a border of the grid:
 * of its directions, or of those of the stencil, those that lead off the grid from this process.  Their
 * number, and the first maxn of them (directions[maxn x d], in dimensions of the grid, in lexicographic
 * order).  Regions without layers do not count.  Local.
 * Errors: MPI_ERR_REQUEST for what is no request of the calls above; MPI_ERR_ARG. */
int ORTHO_Halo_unfilled(ORTHO_Request request, int field, int maxn, int directions[], int *n);

/* Other arrays: from the next start on, field f begins at bases[f].  Its shape, and all else, stays.  Nothing
 * is sent, and nothing is planned: each process may do it or not.  Arrays that an operation has had before
 * are taken up again in no time, so that two may take turns.  Local.
 * Errors: MPI_ERR_REQUEST for what is no request of the calls above, or is active; MPI_ERR_ARG for another
 * nfields; MPI_ERR_BUFFER for a null pointer to an array that has elements, and for arrays that share
 * memory. */
int ORTHO_Halo_rebind(ORTHO_Request request, int nfields, void *const bases[]);
/* ORTHO_Halo_rebind for fields that are compared with those of the _init call: sizes, lower, upper,
 * dimension, strides where there is more than one element, and the type of the elements; MPI_ERR_ARG says
 * which field differs.  Derived types are the same if they have the same basic types, size, extent and
 * bounds.  Directions stay as they were, and are not looked at. */
int ORTHO_Halo_rebind_fields(ORTHO_Request request, int nfields, const ORTHO_Field fields[]);

/* --- Arrays in blocks ---------------------------------------------------------------------------- */

/* `n` elements in a row are dealt out to `parts` parts as evenly as can be: the first n mod parts have one
 * more than the others.  Part number `part` begins with element *first, and has *count of them, which may be
 * 0.  Local.
 * MPI's datatypes (MPI_Type_create_darray with MPI_DISTRIBUTE_DFLT_DARG) deal out otherwise: ceil(n / parts)
 * elements to each part as long as there are any, so that the last parts may have fewer, or none.
 * Errors: MPI_ERR_COUNT for negative n; MPI_ERR_ARG for parts < 1, what is no part, null pointers. */
int ORTHO_Blocks_count(MPI_Count n, int parts, int part, MPI_Count *first, MPI_Count *count);

/* The part that element number `index` is in, and which of its elements it is: *place, from 0 on; place may
 * be null.  Local.
 * Errors: as above; MPI_ERR_ARG for what is no element. */
int ORTHO_Blocks_owner(MPI_Count n, int parts, MPI_Count index, int *part, MPI_Count *place);

/* An array that is divided among the processes of a grid, and the same in one piece at `root`.
 * ORTHO_Field_gather copies what each process owns of its field to its place in `whole`.
 * ORTHO_Field_scatter copies each part of `whole` into the field of its owner.  Ghosts, of both, are neither
 * read nor written.
 *
 * field: the part of the calling process.  Parts may have any sizes, 0 too, that make an array: in each
 * dimension, processes with the same coordinate own the same number of layers.  whole: counts at the root
 * alone; it owns as many elements as all parts have together; without ghosts usually.  Both have d dimensions
 * and their own strides, `order` and `dimension`; elements have the same type signature.  directions are not
 * looked at.  Where the root's part lies in whole already, it stays there.
 *
 * comm has a grid: that of its graph, if that is isomorphic, else its name, the same on all processes.
 * Processes that are not on the grid call, too, and have no part: field is not looked at.  Any process of
 * comm may be the root.  Collective; each part is one message.
 * Errors: MPI_ERR_COMM, ORTHO_ERR_NAME, MPI_ERR_ROOT, MPI_ERR_DIMS for another d, MPI_ERR_ARG, MPI_ERR_TYPE,
 * MPI_ERR_BUFFER as for ORTHO_Halo_fields_init; ORTHO_ERR_MISMATCH for parts that do not fit together, and
 * for what should agree.  All processes fail together; the message says on which rank what is wrong. */
int ORTHO_Field_gather(const ORTHO_Field *field, const ORTHO_Field *whole, int d, int root, MPI_Comm comm);
int ORTHO_Field_scatter(const ORTHO_Field *whole, const ORTHO_Field *field, int d, int root, MPI_Comm comm);

/* These do so with field number `field` of a halo exchange, which knows its shape and its ghosts, and with
 * the array that it has now.  Ranks are those of the halo's communicator, and whole has the dimensions of the
 * field.  Collective over the processes of the grid; others have no part, and may call.  The communicator may
 * be freed already.
 * Errors: MPI_ERR_REQUEST for what is no request of ORTHO_Halo_fields_init and its like, on this process
 * alone, or is active; MPI_ERR_ARG for what is no field; as above. */
int ORTHO_Halo_gather(ORTHO_Request request, int field, const ORTHO_Field *whole, int root);
int ORTHO_Halo_scatter(ORTHO_Request request, int field, const ORTHO_Field *whole, int root);

/* --- Sparse exchanges -------------------------------------------------------------------------- */

/* Data for processes that do not know of it: the receiver knows neither who sends, nor how much.  Block i has
 * sendcounts[i] elements of sendtype, sdispls[i] elements from sendbuf on, for process targets[i].  Targets
 * may repeat, may be the process itself, or MPI_PROC_NULL; blocks without elements arrive, too.  The blocks
 * for one process travel in one message.  The cost grows with the number of partners and with log p.
 * Collective over an intra-communicator; sendbuf may be changed as soon as the call returns, of
 * ORTHO_Isparse_alltoallv, too.  No info keys.
 *
 * *exchange is what has come: see below.  ORTHO_Isparse_alltoallv does not wait; *exchange may be received
 * once its request is complete.
 * Errors: MPI_ERR_COMM, MPI_ERR_COUNT, MPI_ERR_RANK, MPI_ERR_TYPE, MPI_ERR_BUFFER, MPI_ERR_ARG.  All
 * processes fail together; of ORTHO_Isparse_alltoallv those whose arguments are right fail when they complete
 * it. */
int ORTHO_Sparse_alltoallv(const void *sendbuf, int ntargets, const int targets[],
                           const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype,
                           MPI_Comm comm, MPI_Info info, ORTHO_Sparse *exchange);
int ORTHO_Isparse_alltoallv(const void *sendbuf, int ntargets, const int targets[],
                            const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype,
                            MPI_Comm comm, MPI_Info info, ORTHO_Sparse *exchange, ORTHO_Request *r);

/* How many blocks have come, and how many elements in all; total may be null.  Local.
 * Errors: MPI_ERR_ARG for what is no exchange; MPI_ERR_REQUEST as long as it is under way. */
int ORTHO_Sparse_count(ORTHO_Sparse exchange, int *nsources, MPI_Count *total);

/* Writes the blocks into recvbuf, one behind the other: by rising source, those of one source in the order
 * of its arguments.  Block i comes from sources[i], has recvcounts[i] elements of recvtype, and begins
 * rdispls[i] elements from recvbuf on; each list may be null.  The exchange is freed, and becomes
 * ORTHO_SPARSE_NULL.  Local.
 * Errors: as above; MPI_ERR_TYPE; MPI_ERR_TRUNCATE if elements have not the size that they had where they
 * come from; MPI_ERR_BUFFER.  Then the exchange stays.
 *
 * ORTHO_Sparse_receive_at_most does so where no more has come than there is room for: recvcount elements in
 * recvbuf, and maxn numbers in each list that is given; else MPI_ERR_TRUNCATE, and the exchange stays. */
int ORTHO_Sparse_receive(ORTHO_Sparse *exchange, void *recvbuf, MPI_Datatype recvtype, int sources[],
                         MPI_Count recvcounts[], MPI_Aint rdispls[]);
int ORTHO_Sparse_receive_at_most(ORTHO_Sparse *exchange, void *recvbuf, MPI_Count recvcount,
                                 MPI_Datatype recvtype, int maxn, int sources[], MPI_Count recvcounts[],
                                 MPI_Aint rdispls[]);

/* Gives up what was not received.  Local.  Errors: MPI_ERR_ARG. */
int ORTHO_Sparse_free(ORTHO_Sparse *exchange);

/* A graph of which each process knows its targets alone: as ORTHO_Dist_graph_create_adjacent, with in-edges
 * by rising source.  Several edges to one target arrive in the order of targets.  weights: or MPI_UNWEIGHTED,
 * on all processes that have edges.  Collective over comm, an intra-communicator.
 * Errors: as ORTHO_Dist_graph_create_adjacent. */
int ORTHO_Dist_graph_create_from_targets(MPI_Comm comm, int ntargets, const int targets[], const int *weights,
                                         MPI_Info info, int reorder, MPI_Comm *graph);

/* --- Index maps: ghosts of unstructured meshes, of sparse matrices ------------------------------------ */

/* Each process owns elements 0 to nowned - 1 of a distributed array, and has copies of elements that others
 * own, or it owns itself: ghosts 0 to nghosts - 1.  Ghost g is element indices[g] of process owners[g].
 * ORTHO_Index_map_create_global numbers all elements from 0 on, those of process r behind those of r - 1:
 * ghost g is element numbers[g].  An element may have several ghosts on one process.  Owners need not know
 * who has copies.  Nobody renumbers elements.
 * ORTHO_Index_map_create_ids takes numbers as a mesh generator or a partitioner leaves them, in any order and
 * with gaps: element i of this process has the number ids[i], and ghost g is the element with the number
 * ghost_ids[g], whoever owns it.  Collective over comm, an intra-communicator; info is that of
 * the map's graph.
 * Errors: MPI_ERR_COMM, MPI_ERR_COUNT, MPI_ERR_RANK; MPI_ERR_ARG for what is no element, elements that two
 * processes own, or one owns twice, negative numbers, and null pointers.
 * All processes fail together; the message says which ghost of which rank is wrong. */
int ORTHO_Index_map_create(MPI_Count nowned, MPI_Count nghosts, const int owners[], const MPI_Count indices[],
                           MPI_Comm comm, MPI_Info info, ORTHO_Index_map *map);
int ORTHO_Index_map_create_global(MPI_Count nowned, MPI_Count nghosts, const MPI_Count numbers[],
                                  MPI_Comm comm, MPI_Info info, ORTHO_Index_map *map);
int ORTHO_Index_map_create_ids(MPI_Count nowned, const MPI_Count ids[], MPI_Count nghosts,
                               const MPI_Count ghost_ids[], MPI_Comm comm, MPI_Info info,
                               ORTHO_Index_map *map);

/* Operations that were made on the map live on.  Errors: MPI_ERR_ARG. */
int ORTHO_Index_map_free(ORTHO_Index_map *map);

/* The graph of the map: edges lead from owners to those who have copies, once each, by rising rank.  It is
 * the map's, and not to be freed.  Local.  Errors: MPI_ERR_ARG. */
int ORTHO_Index_map_graph(ORTHO_Index_map map, MPI_Comm *graph);

/* The copies of owned element `element`: their number, and the first maxn of them, ghost ghosts[i] of process
 * ranks[i], by rising rank and ghost; ghosts may be null.  Local.  Errors: MPI_ERR_ARG, MPI_ERR_COUNT. */
int ORTHO_Index_map_holders(ORTHO_Index_map map, MPI_Count element, int maxn, int ranks[], MPI_Count ghosts[],
                            int *n);

/* A persistent exchange of nfields arrays: each ghost gets the value of its element.  owned[f] is where field
 * f has element 0, ghosts[f] where it has ghost 0, elements[f] the datatype of one; the two may be parts of
 * one array.  All fields travel in one message a partner.  ORTHO_Ghosts_reduce_init is the reverse, the
 * adjoint: each ghost is reduced into its element by a commutative operator, in an order that is always the
 * same for one map; of MPI_REPLACE one copy wins, always the same one.  MPI's operators take numbers, and
 * several in a row (MPI_Type_contiguous).  Ghosts are not changed.
 * Collective over the map's communicator; info, ORTHO_Start, ORTHO_Run and ORTHO_Parrived as for
 * ORTHO_Alltoallw_init on the map's graph.  Datatypes may be freed; arrays must live as long as the request
 * is used.
 * Errors: MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_OP, MPI_ERR_BUFFER, MPI_ERR_ARG; ORTHO_ERR_MISMATCH for
 * numbers of fields, or sizes of elements, that are not the same on all processes.  All processes fail
 * together. */
int ORTHO_Ghosts_init(int nfields, const void *const owned[], void *const ghosts[],
                      const MPI_Datatype elements[], ORTHO_Index_map map, MPI_Info info, ORTHO_Request *r);
int ORTHO_Ghosts_reduce_init(int nfields, const void *const ghosts[], void *const owned[],
                             const MPI_Datatype elements[], MPI_Op op, ORTHO_Index_map map, MPI_Info info,
                             ORTHO_Request *r);

/* Other arrays of the same lengths, from the next start on; each process may do it or not.  Local.
 * Errors: MPI_ERR_REQUEST for what is no request of the calls above, or is active; MPI_ERR_ARG for another
 * nfields; MPI_ERR_BUFFER. */
int ORTHO_Ghosts_rebind(ORTHO_Request r, int nfields, void *const owned[], void *const ghosts[]);

/* --- Mosaics: grids that are not one box --------------------------------------------------------------
 *
 * A tile is a box of cells in an index space of its own, of d dimensions, 1 to 4.  Cell i of a dimension lies
 * between positions i and i + 1.  sizes[tile * d + k] are the cells of a tile in dimension k.  Contacts say
 * what lies beyond the sides of tiles: folds of oceans, panels of spheres, blocks of flow grids.  A patch is
 * a box of cells of one tile that one process owns; a process has any number of patches.
 *
 * In dimension k, element i of a field lies at the lower face of cell i, at its centre, or at its upper
 * face.  ORTHO_BOTH is ORTHO_LOWER, and the patch at the upper end of a tile has one element more, at the
 * tile's last face. */
#define ORTHO_LOWER (-1)
#define ORTHO_CENTRE 0
#define ORTHO_UPPER 1
#define ORTHO_BOTH 2

/* Kinds of fields.  Across a contact, component k of a vector is plus or minus another component there.  A
 * pair is such a vector without the sign: lengths, areas.  A constant is added to a position: longitudes,
 * coordinates. */
#define ORTHO_SCALAR 0
#define ORTHO_VECTOR 1
#define ORTHO_PAIR 2
#define ORTHO_POSITION 3

/* The point of a cell around which a side is folded: its centre, its corner, the middle of a face of the
 * dimension that runs along the side (U), or of the one across it (V). */
#define ORTHO_PIVOT_T 0
#define ORTHO_PIVOT_F 1
#define ORTHO_PIVOT_U 2
#define ORTHO_PIVOT_V 3

/* Beyond a side of a tile, or a part of it, is a tile, the donor: position p here is position T(p) + origin
 * there.  T is a signed permutation: the coordinate of dimension k here runs along that of dimension
 * |transform[k]| - 1 there, backward where transform[k] is negative.  Only the first d numbers of each list
 * count. */
typedef struct {
    int tile;
    int dimension;
    int side;           /* ORTHO_LOWER or ORTHO_UPPER */
    MPI_Count first[4]; /* the cells along the side; */
    MPI_Count count[4]; /* 0: all.  No number counts in the contact's own dimension. */
    int donor;
    int transform[4];
    MPI_Count origin[4]; /* by dimension there */
    double shift[4];     /* is added to component k of positions that come from there */
} ORTHO_Contact;

typedef struct {
    int tile;
    MPI_Count first[4];
    MPI_Count count[4];
} ORTHO_Patch;

/* These fill in a contact; all are local.  sizes: of all tiles that are named, d numbers a tile.
 * ORTHO_Contact_join joins the whole side `aside` of dimension adim of tile a to one of tile b.  The other
 * dimensions run along each other in their order, those of a with reversed[k] backward; reversed may be null.
 * ORTHO_Contact_periodic joins the two sides of a dimension.  ORTHO_Contact_fold folds a side onto itself:
 * dimension `along` runs backward beyond it.  Around a centre (ORTHO_PIVOT_T) or V it leads half a cell beyond
 * the end of `along`, which must be periodic.  ORTHO_Contact_cubed_sphere makes the 12 contacts of six tiles of
 * n x n cells, which may have further dimensions, numbered as FV3 and MITgcm do: upper sides meet lower sides.
 * Errors: MPI_ERR_DIMS, MPI_ERR_ARG. */
int ORTHO_Contact_join(int d, const MPI_Count sizes[], int a, int adim, int aside, int b, int bdim, int bside,
                       const int reversed[], ORTHO_Contact *contact);
int ORTHO_Contact_periodic(int d, const MPI_Count sizes[], int tile, int dimension, ORTHO_Contact *contact);
int ORTHO_Contact_fold(int d, const MPI_Count sizes[], int tile, int dimension, int side, int along,
                       int pivot, ORTHO_Contact *contact);
int ORTHO_Contact_cubed_sphere(int d, const MPI_Count sizes[], ORTHO_Contact contacts[]);

/* Divides all tiles into boxes of at most most[k] cells in dimension k (0: any number), and deals them out to
 * `parts` parts, along a Morton curve, so that parts have about as many cells each.  The number of boxes of part
 * number `part`, and the first maxn of them.  Local.
 * Errors: MPI_ERR_DIMS, MPI_ERR_COUNT, MPI_ERR_ARG. */
int ORTHO_Mosaic_divide(int d, int ntiles, const MPI_Count sizes[], const MPI_Count most[], int parts,
                        int part, int maxn, ORTHO_Patch patches[], int *n);

/* A mosaic, and the patches that the calling process owns.  Tiles and contacts are the same on all processes.
 * A contact counts both ways, but for one that leads to its own side, a fold.  Patches of all processes
 * together cover no cell twice; cells that nobody owns are holes.  Collective over comm, an
 * intra-communicator.  No info keys.
 * Errors: MPI_ERR_COMM, MPI_ERR_DIMS, MPI_ERR_COUNT; MPI_ERR_ARG for patches that overlap or leave their tile,
 * and for contacts that lead outside, are no signed permutation, not their own inverse where they lead to
 * their own side, or two for one place; ORTHO_ERR_MISMATCH.  All processes fail together. */
int ORTHO_Mosaic_create(MPI_Comm comm, int d, int ntiles, const MPI_Count sizes[], int ncontacts,
                        const ORTHO_Contact contacts[], int npatches, const ORTHO_Patch patches[],
                        MPI_Info info, ORTHO_Mosaic *mosaic);

/* Operations that were made on the mosaic live on.  Errors: MPI_ERR_ARG. */
int ORTHO_Mosaic_free(ORTHO_Mosaic *mosaic);

/* The process that owns a cell, and which of its patches: -1 both if nobody does.  Local.
 * Errors: MPI_ERR_ARG for what is no cell. */
int ORTHO_Mosaic_owner(ORTHO_Mosaic mosaic, int tile, const MPI_Count element[], int *rank, int *patch);

/* A field on a mosaic: an array for each patch of the process, with ghosts around what it owns.  Set one to
 * ORTHO_MOSAIC_FIELD_INIT, then what differs from that. */
typedef struct {
    void *const *bases;      /* by patch: the array's first element, a ghost where there are any */
    const MPI_Aint *strides; /* npatches x ndims: bytes from one element to the next; NULL: packed */
    MPI_Datatype element;
    const MPI_Count *lower; /* d: ghosts before the owned elements, in dimensions of the mosaic */
    const MPI_Count *upper; /* d: ghosts behind them */
    const int *location;    /* d: ORTHO_LOWER, ORTHO_CENTRE, ORTHO_UPPER, ORTHO_BOTH; NULL: centres */
    int kind;               /* ORTHO_SCALAR, ORTHO_VECTOR, ORTHO_PAIR, ORTHO_POSITION */
    int component;          /* number of the component: 0 to d - 1; of a position 0 to 3 */
    int group;              /* fields of one kind and one group are components of one vector, or pair */
    int sync;               /* true: elements that are one point get the value of the first of them, too */
    int order;              /* of what is packed: MPI_ORDER_C or MPI_ORDER_FORTRAN */
    int ndims;              /* dimensions of the arrays; 0: d */
    const int *dimension;   /* ndims: array dimension k runs along dimension[k], or is ORTHO_UNDIVIDED */
    const MPI_Count *undivided;     /* ndims: elements of dimensions that are ORTHO_UNDIVIDED */
    const ORTHO_Boundary *boundary; /* d x 2: of closed sides below, and above; NULL: none */
    void *reserved[2];              /* NULL */
} ORTHO_Mosaic_field;

/* A scalar at centres, packed as in C. */
#define ORTHO_MOSAIC_FIELD_INIT                                                                              \
    {                                                                                                        \
        NULL, NULL, MPI_DATATYPE_NULL, NULL, NULL, NULL, ORTHO_SCALAR, 0, 0, 0, MPI_ORDER_C, 0, NULL, NULL,  \
            NULL,                                                                                            \
        {                                                                                                    \
            NULL, NULL                                                                                       \
        }                                                                                                    \
    }

/* ORTHO_Mosaic_halo_init makes a persistent operation that fills the ghosts of `nfields` fields.  A ghost gets
 * the value of the element that owns its position.  Positions beyond sides of a tile cross them by contacts;
 * with several such sides, in any order.  Positions on a side with a contact, or between a fold and its side,
 * are one point with their images.  If several elements own a point, that of the lowest tile counts, then the
 * lowest element, dimension 0 first.  Nobody fills ghosts without an owner, nor those where two orders of
 * crossing lead to different points, as beyond the corner of a cube; ORTHO_Mosaic_unfilled tells them.
 *
 * A side of a tile is closed where it has no contact.  Where `boundary` says so, ghosts beyond it get the value
 * that numpy.pad of the tile's array would give them, after all has come, for one dimension of the mosaic after
 * the other; as beyond the closed sides of grids (ORTHO_Halo_fields_init).  Mirrors lead to elements that the
 * array of the patch has: more ghosts than it has elements there are MPI_ERR_ARG.  Ghosts that show ghosts which
 * nobody fills are not touched.
 *
 * All fields travel in one message a partner.  Patches of one process are copied without messages.
 * ORTHO_Mosaic_reduce_init is the reverse, the adjoint: ghosts are reduced into their owners by a commutative
 * operator, with their signs, in an order that is always the same.  Ghosts are not changed; sync must be 0, and
 * nothing is added to positions.
 *
 * Members of fields are equal on all processes, but for bases, strides, order and dimension.  Signs and shifts
 * need elements of numbers, or of several in a row (MPI_Type_contiguous).
 * Collective over the mosaic's communicator; info, ORTHO_Start, ORTHO_Run and ORTHO_Parrived as for
 * ORTHO_Alltoallw_init.  ORTHO_Halo_rebind gives other arrays: bases of field 0, all patches, then of field 1,
 * and so on.  Datatypes may be freed; arrays must live as long as the request is used.
 * Errors: MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_OP, MPI_ERR_BUFFER; MPI_ERR_ARG for groups with missing
 * components, and ghosts deeper than a donor tile; ORTHO_ERR_MISMATCH.  All processes fail together. */
int ORTHO_Mosaic_halo_init(int nfields, const ORTHO_Mosaic_field fields[], ORTHO_Mosaic mosaic, MPI_Info info,
                           ORTHO_Request *request);
int ORTHO_Mosaic_reduce_init(int nfields, const ORTHO_Mosaic_field fields[], MPI_Op op, ORTHO_Mosaic mosaic,
                             MPI_Info info, ORTHO_Request *request);

/* The ghosts of a field on a patch that nobody fills: the number of boxes, and the first maxn of them, by numbers
 * of elements.  Those beyond closed sides that get their values from a `boundary` are among them.  Local.
 * Errors: MPI_ERR_REQUEST for what is no request of the calls above; MPI_ERR_ARG, MPI_ERR_COUNT. */
int ORTHO_Mosaic_unfilled(ORTHO_Request request, int field, int patch, int maxn, ORTHO_Patch boxes[], int *n);

/* --- Memory ---------------------------------------------------------------------------------- */

/* *(void **)baseptr: `size` bytes that the other processes of the node can read.  Blocks of collectives on
 * graphs that are sent from there, and are not small, are copied once, from where they lie to where they are
 * received, if the call is blocking or ORTHO_Run, or the processes promise to come by (ortho_forward); other
 * buffers serve as well, with a copy more.  Collective over comm; sizes may differ, and for 0 the pointer is
 * null.  Aligned to 64 bytes; private memory where none can be shared (ORTHO_SHM=0).  May be used on every
 * communicator, and after comm is freed.
 * Errors: MPI_ERR_COMM, MPI_ERR_ARG, MPI_ERR_NO_MEM. */
int ORTHO_Alloc_mem(MPI_Aint size, MPI_Info info, MPI_Comm comm, void *baseptr);

/* Gives back what ORTHO_Alloc_mem has given, or nothing if base is null.  No operation may be using it.
 * Collective over comm, which may be another one than it came from.
 * Errors: MPI_ERR_COMM; MPI_ERR_ARG for other pointers. */
int ORTHO_Free_mem(void *base, MPI_Comm comm);

/* --- One-sided communication ([B] 2.5) -----------------------------------------------------------
 *
 * Windows are MPI's: handles that every call of MPI's takes.  The topology of the communicator that a window
 * is made on decides what the calls below mean on it.  On full communicators, and on windows that other calls
 * have made, they are MPI's; on inter-communicators there are no windows, MPI_ERR_COMM.  On graphs
 *   - a process accesses the memory of its out-neighbors alone, itself included where it has an edge to
 *     itself;
 *   - ORTHO_Win_fence synchronises with neighbors alone;
 *   - locks are for out-neighbors, and "all" are all out-neighbors.
 * A neighbor is one, however many edges lead there; gaps are none.
 *
 * Errors go through the window's error handler, which is MPI_ERRORS_ARE_FATAL at first
 * (MPI_Win_set_errhandler); those of ORTHO_Win_create and ORTHO_Win_allocate through the communicator's.  On
 * graphs: MPI_ERR_RANK for what is no rank of the window; ORTHO_ERR_NEIGHBOR for what is no out-neighbor;
 * MPI_ERR_RMA_SYNC for a call that the epochs that are open do not allow.  Nothing is transferred or locked
 * then.  MPI_ERR_WIN for MPI_WIN_NULL; and MPI's own. */

/* A window on memory of the user's, and on memory that comes with it.  The window keeps the neighbors of a
 * graph: comm may be freed before the window.  Collective. */
int ORTHO_Win_create(void *base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win);
int ORTHO_Win_allocate(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr,
                       MPI_Win *win);

/* Free a window, after closing the epoch that a fence has opened.  No locks may be held.  Collective. */
int ORTHO_Win_free(MPI_Win *win);

/* Graph: close the epoch that the last fence opened, then open the next one: access to out-neighbors,
 * exposure to in-neighbors (MPI's complete, wait, post, start).  Waits until what in-neighbors have accessed
 * is there, and until out-neighbors are exposed again, which they are when their in-neighbors have come to
 * the fence.  All processes call it.  assert: MPI_MODE_NOSUCCEED opens no epoch, and so allows locks; both
 * ends of an edge agree on it.  MPI_MODE_NOSTORE and MPI_MODE_NOPUT as MPI's.  MPI_MODE_NOPRECEDE changes
 * nothing: an epoch that is open is closed all the same. */
int ORTHO_Win_fence(int assert, MPI_Win win);

/* Graph: lock out-neighbors, one, or all (shared), one after the other in the order of their ranks; these
 * block in MPI.  A fence with MPI_MODE_NOSUCCEED must have closed the epoch that another one opened, else
 * MPI_ERR_RMA_SYNC. */
int ORTHO_Win_lock(int lock_type, int rank, int assert, MPI_Win win);
int ORTHO_Win_unlock(int rank, MPI_Win win);
int ORTHO_Win_lock_all(int assert, MPI_Win win);
int ORTHO_Win_unlock_all(MPI_Win win);

/* Complete what was started under a lock: at the target, or (local) as far as the caller's buffers go.
 * Graph: all are those that are locked. */
int ORTHO_Win_flush(int rank, MPI_Win win);
int ORTHO_Win_flush_all(MPI_Win win);
int ORTHO_Win_flush_local(int rank, MPI_Win win);
int ORTHO_Win_flush_local_all(MPI_Win win);
int ORTHO_Win_sync(MPI_Win win);

/* Graph: the target is an out-neighbor, and a fence has opened an epoch, or the target is locked.
 * MPI_PROC_NULL is nobody, and always allowed. */
int ORTHO_Put(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
              MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win);
int ORTHO_Get(void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
              MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win);
int ORTHO_Accumulate(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
                     MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op,
                     MPI_Win win);
int ORTHO_Get_accumulate(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
                         void *result_addr, int result_count, MPI_Datatype result_datatype, int target_rank,
                         MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op,
                         MPI_Win win);
int ORTHO_Fetch_and_op(const void *origin_addr, void *result_addr, MPI_Datatype datatype, int target_rank,
                       MPI_Aint target_disp, MPI_Op op, MPI_Win win);
int ORTHO_Compare_and_swap(const void *origin_addr, const void *compare_addr, void *result_addr,
                           MPI_Datatype datatype, int target_rank, MPI_Aint target_disp, MPI_Win win);

/* ORTHO_Put, ORTHO_Get, ORTHO_Accumulate and ORTHO_Get_accumulate with a request of MPI's, for MPI_Wait and
 * its like.  Under locks alone. */
int ORTHO_Rput(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
               MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win,
               MPI_Request *request);
int ORTHO_Rget(void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
               MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win,
               MPI_Request *request);
int ORTHO_Raccumulate(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
                      int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype,
                      MPI_Op op, MPI_Win win, MPI_Request *request);
int ORTHO_Rget_accumulate(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
                          void *result_addr, int result_count, MPI_Datatype result_datatype, int target_rank,
                          MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op,
                          MPI_Win win, MPI_Request *request);

/* --- Requests ------------------------------------------------------------------------------- */

/* As MPI's calls of the same names; a request that is null or inactive is over, with an empty
 * status.  Those that wait or test advance every operation of the process.  Errors of an
 * operation go through the error handler of its communicator; MPI_ERR_REQUEST for what is no such
 * request, MPI_ERR_COUNT, MPI_ERR_ARG. */
int ORTHO_Start(ORTHO_Request *request);
int ORTHO_Startall(int n, ORTHO_Request requests[]);
int ORTHO_Wait(ORTHO_Request *request, MPI_Status *status);
int ORTHO_Waitall(int n, ORTHO_Request requests[], MPI_Status *statuses);
int ORTHO_Waitany(int n, ORTHO_Request requests[], int *index, MPI_Status *status);
int ORTHO_Waitsome(int n, ORTHO_Request requests[], int *count, int indices[], MPI_Status *statuses);
int ORTHO_Test(ORTHO_Request *request, int *flag, MPI_Status *status);
int ORTHO_Testall(int n, ORTHO_Request requests[], int *flag, MPI_Status *statuses);
int ORTHO_Testany(int n, ORTHO_Request requests[], int *index, int *flag, MPI_Status *status);
int ORTHO_Testsome(int n, ORTHO_Request requests[], int *count, int indices[], MPI_Status *statuses);

/* Start a persistent operation and wait until it is over: as ORTHO_Start and ORTHO_Wait, but all its
 * processes are in the library meanwhile, so that blocks may travel through other processes, which a started
 * operation does only if that was promised (ortho_forward, above).  Processes run the operations of one
 * communicator in the same order, as they call blocking collectives.  An operation has two ways, each planned
 * in its _init call: where some processes run it and others start it, both wait for ever (ORTHO_STALL_S says
 * so), and nothing wrong is delivered.  ORTHO_Runall runs several, which overlap.  On full and
 * inter-communicators: start and wait.
 * Errors: MPI_ERR_REQUEST for what is null, active, or not persistent; MPI_ERR_COUNT, MPI_ERR_ARG; of the
 * operation as ORTHO_Wait and ORTHO_Waitall. */
int ORTHO_Run(ORTHO_Request *request, MPI_Status *status);
int ORTHO_Runall(int n, ORTHO_Request requests[], MPI_Status *statuses);

/* Arrays in the memory of devices.  On graphs, and in halos and ghosts, a buffer may lie in the memory of an
 * NVIDIA device; elsewhere that is the MPI's affair.  All calls wait for the work in the legacy default
 * stream, and their results are there when they are over.  These three are ordered with a stream, a
 * cudaStream_t, in its place; a null pointer is the default stream.  ORTHO_Start_enqueue starts after the
 * work that is in the stream now, and returns; the host's part goes on in calls of the library.
 * ORTHO_Wait_enqueue returns when the host has nothing more to do: work that is put into the stream later
 * finds the result.  ORTHO_Run_enqueue does both, as ORTHO_Run does.  A request of buffers in host memory may
 * be started and waited for so, too.  On a node, data of operations that are started stays on the device if
 * all processes give the promise ortho_forward (see Progress, above).
 * Errors: as ORTHO_Start, ORTHO_Wait and ORTHO_Run; MPI_ERR_ARG if the program has loaded no device's driver,
 * or ORTHO_DEVICE=0 leaves devices alone; MPI_ERR_OTHER in the driver's words. */
int ORTHO_Start_enqueue(ORTHO_Request *request, void *stream);
int ORTHO_Wait_enqueue(ORTHO_Request *request, void *stream);
int ORTHO_Run_enqueue(ORTHO_Request *request, void *stream);

/* Other buffers for a persistent collective, from the next start on: sendbuf and recvbuf, whatever counts,
 * displacements and datatypes were.  MPI_IN_PLACE as sendbuf if and only if it was that.  ORTHO_Bcast_init
 * has one buffer, which is recvbuf; sendbuf is not looked at.  Nothing is sent, and nothing is planned: each
 * process may do it or not.  On full and inter-communicators only if info ortho_rebind was "true" in the
 * _init call, on all processes: else the operation is MPI's own.  For halos: ORTHO_Halo_rebind.  Local.
 * Errors: MPI_ERR_REQUEST for what is null, active, not persistent or cannot get other buffers;
 * MPI_ERR_BUFFER. */
int ORTHO_Request_rebind(ORTHO_Request request, const void *sendbuf, void *recvbuf);

/* Give a request up: ORTHO_REQUEST_NULL afterwards.  An operation that is under way goes on and ends
 * by itself, in later calls of the library, at the latest in MPI_Finalize. */
int ORTHO_Request_free(ORTHO_Request *request);

/* Does the block of in-neighbor `inneighbor`, an index of the receive side, lie in the receive buffer,
 * although the whole operation may not be over?  True for gaps and inactive requests; for
 * reductions, and on full and inter-communicators, when the operation is over.  [C] II-C
 * Errors: MPI_ERR_ARG. */
int ORTHO_Parrived(ORTHO_Request request, int inneighbor, int *flag);

/* The algorithm that was chosen for the operation, and why, in some lines of text: topology, algorithm, what
 * this process does in it, what else was considered and its predicted time.  text, maxlen, len as for
 * ORTHO_Error_message.  (ORTHO_EXPLAIN=1 in the environment has rank 0 print each new plan.)
 * Errors: MPI_ERR_REQUEST, MPI_ERR_ARG. */
int ORTHO_Explain(ORTHO_Request request, char text[], int maxlen, int *len);

/* Advance every operation of the process that is under way: for a loop that computes meanwhile. */
int ORTHO_Progress(void);

#ifdef __cplusplus
}
#endif

#endif
